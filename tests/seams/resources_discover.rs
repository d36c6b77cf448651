//! `resources-discover`: skills and prompt templates.
