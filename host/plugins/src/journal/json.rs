//! A value of the contract as JSON text in the contract's own names. Records are objects, a case is its name or an object
//! of its name and what it holds, bytes are base64.
//!
//! It knows the types that the contract has, and no others.

use std::any::type_name;
use std::fmt::Display;

use serde::Serialize;
use serde::ser::{self, Impossible, SerializeSeq, SerializeStruct, SerializeTuple};

use crate::journal::{names, text};

/// A value that is of no type of the contract.
#[derive(Debug, thiserror::Error)]
#[error("a value that the contract does not have")]
pub(crate) struct Unwritable;

impl ser::Error for Unwritable {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

/// The text of a value.
pub(crate) fn json(value: &(impl Serialize + ?Sized)) -> Result<String, Unwritable> {
    let mut json = Json { out: Vec::with_capacity(256), plain: false };
    value.serialize(&mut json)?;
    String::from_utf8(json.out).map_err(|_| Unwritable)
}

/// Writes one value.
struct Json {
    out: Vec<u8>,
    /// What is written are bytes, as they are.
    plain: bool,
}

impl Json {
    fn open(&mut self, mark: u8, close: u8) -> Parts<'_> {
        self.out.push(mark);
        Parts { json: self, first: true, close }
    }

    fn quoted(&mut self, case: &str) {
        self.out.push(b'"');
        names::case(&mut self.out, case);
        self.out.push(b'"');
    }
}

/// The parts of a list or a record.
struct Parts<'a> {
    json: &'a mut Json,
    first: bool,
    close: u8,
}

impl Parts<'_> {
    fn next(&mut self) {
        if !std::mem::replace(&mut self.first, false) {
            self.json.out.push(b',');
        }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.next();
        value.serialize(&mut *self.json)
    }

    fn close(self) -> Result<(), Unwritable> {
        self.json.out.push(self.close);
        Ok(())
    }
}

impl SerializeSeq for Parts<'_> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.element(value)
    }

    fn end(self) -> Result<(), Unwritable> {
        self.close()
    }
}

impl SerializeTuple for Parts<'_> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.element(value)
    }

    fn end(self) -> Result<(), Unwritable> {
        self.close()
    }
}

impl SerializeStruct for Parts<'_> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Unwritable> {
        self.next();
        self.json.out.push(b'"');
        names::field(&mut self.json.out, key);
        self.json.out.extend_from_slice(b"\":");
        value.serialize(&mut *self.json)
    }

    fn end(self) -> Result<(), Unwritable> {
        self.close()
    }
}

/// Methods for what the contract does not have.
macro_rules! unwritable {
    ($($method:ident: $type:ty),+) => {
        $(fn $method(self, _: $type) -> Result<(), Unwritable> {
            Err(Unwritable)
        })+
    };
}

type Nothing = Impossible<(), Unwritable>;

impl<'a> ser::Serializer for &'a mut Json {
    type Ok = ();
    type Error = Unwritable;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeTupleStruct = Nothing;
    type SerializeTupleVariant = Nothing;
    type SerializeMap = Nothing;
    type SerializeStructVariant = Nothing;

    unwritable! {
        serialize_i8: i8, serialize_i16: i16, serialize_i64: i64, serialize_u16: u16,
        serialize_u64: u64, serialize_f32: f32, serialize_char: char, serialize_bytes: &[u8],
        serialize_unit_struct: &'static str
    }

    fn serialize_bool(self, value: bool) -> Result<(), Unwritable> {
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    /// Bytes come in lists only, which [`ser::Serializer::collect_seq`] writes.
    fn serialize_u8(self, byte: u8) -> Result<(), Unwritable> {
        if !self.plain {
            return Err(Unwritable);
        }
        self.out.push(byte);
        Ok(())
    }

    fn serialize_i32(self, number: i32) -> Result<(), Unwritable> {
        text::whole(&mut self.out, number);
        Ok(())
    }

    fn serialize_u32(self, number: u32) -> Result<(), Unwritable> {
        text::whole(&mut self.out, number);
        Ok(())
    }

    fn serialize_f64(self, number: f64) -> Result<(), Unwritable> {
        text::float(&mut self.out, number);
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Unwritable> {
        text::string(&mut self.out, value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Unwritable> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unwritable> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Unwritable> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, case: &'static str) -> Result<(), Unwritable> {
        self.quoted(case);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<(), Unwritable> {
        Err(Unwritable)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        case: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        self.out.push(b'{');
        self.quoted(case);
        self.out.push(b':');
        value.serialize(&mut *self)?;
        self.out.push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, Unwritable> {
        Ok(self.open(b'[', b']'))
    }

    /// A list. One of bytes is told by its type: it may be empty.
    fn collect_seq<I>(self, items: I) -> Result<(), Unwritable>
    where
        I: IntoIterator,
        I::Item: Serialize,
    {
        if type_name::<I::Item>() == type_name::<&u8>() {
            let mut bytes = Json { out: Vec::new(), plain: true };
            items.into_iter().try_for_each(|byte| byte.serialize(&mut bytes))?;
            text::bytes(&mut self.out, &bytes.out);
            return Ok(());
        }
        let mut parts = self.open(b'[', b']');
        items.into_iter().try_for_each(|item| parts.element(&item))?;
        parts.close()
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, Unwritable> {
        Ok(self.open(b'[', b']'))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Unwritable> {
        Ok(self.open(b'{', b'}'))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Nothing, Unwritable> {
        Err(Unwritable)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Nothing, Unwritable> {
        Err(Unwritable)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Nothing, Unwritable> {
        Err(Unwritable)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Nothing, Unwritable> {
        Err(Unwritable)
    }
}

#[cfg(test)]
mod tests;
