//! A JSON value that knows its place, so that every complaint about it can say where it stands.

use std::fmt;

use serde_json::{Map, Value};

/// What is wrong in a script, and where.
#[derive(Debug)]
pub(super) struct Fault {
    path: String,
    problem: String,
}

impl Fault {
    pub(super) fn new(path: &str, problem: impl Into<String>) -> Self {
        Self { path: path.to_owned(), problem: problem.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.problem)
    }
}

/// The path of `key` within the object at `path`.
pub(super) fn key_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// The path of element `index` of the list at `path`.
pub(super) fn element_path(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

/// A JSON value and its path, such as `turns[2].content[0]`. The document's own path is empty.
pub(super) struct Node<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> Node<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        Self { path: String::new(), value }
    }

    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    pub(super) fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault::new(&self.path, problem)
    }

    /// The object, whose keys are all in `known`.
    pub(super) fn object(&self, known: &[&str]) -> Result<Object<'a>, Fault> {
        let fields = self.value.as_object().ok_or_else(|| self.fault("expected an object"))?;
        match fields.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(Object { path: self.path.clone(), fields }),
            Some(key) => {
                let problem = format!("unknown key; expected one of {}", known.join(", "));
                Err(Fault::new(&key_path(&self.path, key), problem))
            }
        }
    }

    /// The object's one key, and what is there.
    pub(super) fn single(&self) -> Option<(&'a str, Node<'a>)> {
        let mut fields = self.value.as_object()?.iter();
        match (fields.next(), fields.next()) {
            (Some((key, value)), None) => Some((key, Node { path: key_path(&self.path, key), value })),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Result<impl Iterator<Item = Node<'a>>, Fault> {
        let list = self.value.as_array().ok_or_else(|| self.fault("expected a list"))?;
        let path = self.path.clone();
        Ok(list.iter().enumerate().map(move |(index, value)| Node { path: element_path(&path, index), value }))
    }

    pub(super) fn text(&self) -> Result<&'a str, Fault> {
        self.value.as_str().ok_or_else(|| self.fault("expected a string"))
    }

    pub(super) fn owned_text(&self) -> Result<String, Fault> {
        self.text().map(str::to_owned)
    }

    pub(super) fn flag(&self) -> Result<bool, Fault> {
        self.value.as_bool().ok_or_else(|| self.fault("expected true or false"))
    }

    /// A whole number from `least` to the largest `T`.
    pub(super) fn whole<T: TryFrom<u64>>(&self, least: u64) -> Result<T, Fault> {
        let number = self.value.as_u64().filter(|number| *number >= least);
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| self.fault(format!("expected a whole number, at least {least}")))
    }

    /// The choice whose name this is.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, Fault> {
        let chosen = self.value.as_str().and_then(|text| choices.iter().find(|(name, _)| *name == text));
        chosen.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.fault(format!("expected one of {}", names.join(", ")))
        })
    }
}

/// An object whose keys are known.
pub(super) struct Object<'a> {
    path: String,
    fields: &'a Map<String, Value>,
}

impl<'a> Object<'a> {
    pub(super) fn has(&self, key: &str) -> bool {
        self.fields.contains_key(key)
    }

    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    pub(super) fn get(&self, key: &str) -> Option<Node<'a>> {
        self.fields.get(key).map(|value| Node { path: key_path(&self.path, key), value })
    }

    pub(super) fn require(&self, key: &str) -> Result<Node<'a>, Fault> {
        self.get(key).ok_or_else(|| Fault::new(&key_path(&self.path, key), "missing"))
    }

    /// What `read` makes of the value at `key`, or `None` when there is none.
    pub(super) fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Node<'a>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        self.get(key).map(|node| read(&node)).transpose()
    }
}
