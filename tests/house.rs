//! The house itself: its layers, its contract, and that every seam has all its places.

pub(crate) mod contract;
mod first_cases;
mod layers;
mod places;
mod reference;
