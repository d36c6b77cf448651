//! What is made of a response, however it is cut and whatever is in it.
