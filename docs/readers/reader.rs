//! Reads a suite of the golden corpus in Rust, checks the digest of every tensor, and writes answers for refpos.
//!
//!     mod reader;
//!     let found = reader::read("golden", "rope_table")?; // name, side, dtype, shape, data
//!     reader::write_answers("answers.safetensors", &[&found["rope_table/dim-4/cos"]])?;
//!
//! `data` are the bytes of the elements in C order, the least significant first. As a program:
//!
//!     rustc --edition 2021 -O -o reader reader.rs
//!     ./reader golden rope
//!
//! prints a line for each tensor: its name, dtype, shape, sha256, and its last element (as the bits of a double, or an
//! integer). Ends with 0 where every digest agrees, 1 where one differs, 2 where nothing could be read. Nothing but the
//! standard library.
#![allow(dead_code)] // a program uses one half, a project that copies this file the other

use std::collections::BTreeMap;
use std::{env, fs, path::Path, process::exit};

pub type Result<T> = std::result::Result<T, String>;

// -- JSON, of which the corpus has objects, lists, text, integers, true, false and null ------------------------

enum Value {
    Word(String), // text, numbers, and the words true, false and null
    List(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

impl Value {
    fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(members) => members.get(name),
            _ => None,
        }
    }

    fn need(&self, name: &str) -> Result<&Value> {
        self.get(name).ok_or(format!("no {name}"))
    }

    fn word(&self) -> Result<&str> {
        match self {
            Value::Word(text) => Ok(text),
            _ => Err("a list or an object where a word is expected".into()),
        }
    }

    fn number(&self) -> Result<usize> {
        self.word()?.parse().map_err(|_| "a word where a number is expected".into())
    }

    fn list(&self) -> Result<&[Value]> {
        match self {
            Value::List(items) => Ok(items),
            _ => Err("a word where a list is expected".into()),
        }
    }
}

struct Parser<'a> {
    data: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> Result<u8> {
        while self.data.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.data.get(self.at).copied().ok_or("no complete JSON document".into())
    }

    fn take(&mut self, expected: u8) -> Result<()> {
        if self.peek()? != expected {
            return Err("no complete JSON document".into());
        }
        self.at += 1;
        Ok(())
    }

    fn text(&mut self) -> Result<String> {
        self.take(b'"')?;
        let mut found = Vec::new();
        loop {
            let mut byte = *self.data.get(self.at).ok_or("a text without an end")?;
            if byte == b'"' {
                self.at += 1;
                return String::from_utf8(found).map_err(|_| "text that is no UTF-8".into());
            }
            if byte == b'\\' {
                self.at += 1; // only words that are not read have escapes
                byte = *self.data.get(self.at).ok_or("a text without an end")?;
            }
            found.push(byte);
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<Value> {
        match self.peek()? {
            b'"' => Ok(Value::Word(self.text()?)),
            b'[' => {
                let mut items = Vec::new();
                self.at += 1;
                while self.peek()? != b']' {
                    if !items.is_empty() {
                        self.take(b',')?;
                    }
                    items.push(self.value()?);
                }
                self.at += 1;
                Ok(Value::List(items))
            }
            b'{' => {
                let mut members = BTreeMap::new();
                self.at += 1;
                while self.peek()? != b'}' {
                    if !members.is_empty() {
                        self.take(b',')?;
                    }
                    let name = self.text()?;
                    self.take(b':')?;
                    members.insert(name, self.value()?);
                }
                self.at += 1;
                Ok(Value::Object(members))
            }
            _ => {
                let rest = &self.data[self.at..];
                let length = rest.iter().position(|byte| b",]} \n".contains(byte)).unwrap_or(rest.len());
                self.at += length;
                Ok(Value::Word(String::from_utf8_lossy(&rest[..length]).into_owned()))
            }
        }
    }
}

fn parse(data: &[u8]) -> Result<Value> {
    Parser { data, at: 0 }.value()
}

// -- sha256 ---------------------------------------------------------------------------------------------------------

#[rustfmt::skip]
const CONSTANTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

fn block(state: &mut [u32; 8], data: &[u8]) {
    let mut w = [0u32; 64];
    for (word, bytes) in w.iter_mut().zip(data.chunks(4)) {
        *word = u32::from_be_bytes(bytes.try_into().unwrap());
    }
    for i in 16..64 {
        let (a, b) = (w[i - 15], w[i - 2]);
        let a = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
        let b = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
        w[i] = w[i - 16].wrapping_add(a).wrapping_add(w[i - 7]).wrapping_add(b);
    }
    let mut s = *state;
    for i in 0..64 {
        let choice = (s[4] & s[5]) ^ (!s[4] & s[6]);
        let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        let high = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
        let low = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
        let one = s[7].wrapping_add(high).wrapping_add(choice).wrapping_add(CONSTANTS[i]).wrapping_add(w[i]);
        s.rotate_right(1);
        s[4] = s[4].wrapping_add(one);
        s[0] = one.wrapping_add(low).wrapping_add(majority);
    }
    for (sum, word) in state.iter_mut().zip(s) {
        *sum = sum.wrapping_add(word);
    }
}

fn sha256(mut data: Vec<u8>) -> String {
    #[rustfmt::skip]
    let mut state = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
    let bits = data.len() as u64 * 8;
    data.push(0x80);
    while data.len() % 64 != 56 {
        data.push(0);
    }
    data.extend(bits.to_be_bytes());
    data.chunks(64).for_each(|part| block(&mut state, part));
    state.iter().map(|word| format!("{word:08x}")).collect()
}

// -- tensors --------------------------------------------------------------------------------------------------------

fn item_size(dtype: &str) -> Result<usize> {
    match dtype {
        "float64" | "int64" => Ok(8),
        "float32" => Ok(4),
        "float16" | "bfloat16" => Ok(2),
        _ => Err(format!("an unknown dtype {dtype}")),
    }
}

fn payloads(path: &str) -> Result<BTreeMap<String, Vec<u8>>> {
    if !Path::new(path).exists() {
        return Ok(BTreeMap::new()); // where every tensor is small
    }
    let data = fs::read(path).map_err(|error| error.to_string())?;
    let length = data.get(..8).ok_or("a truncated payload")?;
    let start = 8 + u64::from_le_bytes(length.try_into().unwrap()) as usize;
    let Value::Object(header) = parse(data.get(8..start).ok_or("a truncated payload")?)? else {
        return Err("a payload without a header".into());
    };
    let mut found = BTreeMap::new();
    for (name, entry) in header.iter().filter(|(name, _)| *name != "__metadata__") {
        let offsets = entry.need("data_offsets")?.list()?;
        let range = start + offsets[0].number()?..start + offsets[1].number()?;
        found.insert(name.clone(), data.get(range).ok_or("a truncated payload")?.to_vec());
    }
    Ok(found)
}

/// the bytes of a tensor in C order, the least significant first
fn little_endian(tensor: &Value, payload: &BTreeMap<String, Vec<u8>>, item: usize) -> Result<Vec<u8>> {
    if let Some(name) = tensor.get("payload") {
        return Ok(payload.get(name.word()?).ok_or("a payload without a tensor")?.clone());
    }
    let mut data = Vec::new();
    for digits in tensor.need("bits")?.list()? {
        let digits = digits.word()?;
        let pattern = u64::from_str_radix(digits, 16).map_err(|_| "bits that are no digits")?;
        if digits.len() != 2 * item {
            return Err("bits that do not fit the dtype".into());
        }
        data.extend(&pattern.to_le_bytes()[..item]);
    }
    Ok(data)
}

fn last_element(dtype: &str, data: &[u8], item: usize) -> String {
    let mut bytes = [0u8; 8];
    bytes[..item].copy_from_slice(&data[data.len() - item..]);
    let bits = u64::from_le_bytes(bytes);
    let number = match dtype {
        "int64" => return (bits as i64).to_string(),
        "float64" => f64::from_bits(bits),
        "float32" => f32::from_bits(bits as u32).into(),
        "bfloat16" => f32::from_bits((bits as u32) << 16).into(), // the upper half of a float
        _ => {
            let (exponent, fraction) = ((bits >> 10 & 31) as i32, (bits & 1023) as f64);
            let size = match exponent {
                31 if fraction != 0.0 => f64::NAN,
                31 => f64::INFINITY,
                0 => fraction * 2f64.powi(-24),
                _ => (fraction + 1024.0) * 2f64.powi(exponent - 25),
            };
            if bits >> 15 == 1 { -size } else { size }
        }
    };
    if number.is_nan() { "nan".into() } else { format!("{:016x}", number.to_bits()) }
}

#[derive(Clone)]
pub struct Tensor {
    pub name: String,
    pub side: String, // inputs or outputs
    pub dtype: String,
    pub shape: Vec<usize>,
    pub data: Vec<u8>,
    pub sampled: bool, // only some elements are held, and data is empty
    pub digest: String,
    pub agrees: bool,
}

impl Tensor {
    fn sizes(&self) -> String {
        self.shape.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
    }

    fn bytes(&self) -> Result<usize> {
        Ok(self.shape.iter().product::<usize>() * item_size(&self.dtype)?)
    }
}

fn tensor_of(id: &str, side: &str, name: &str, entry: &Value, payload: &BTreeMap<String, Vec<u8>>) -> Result<Tensor> {
    let mut tensor = Tensor {
        name: format!("{id}/{name}"),
        side: side.into(),
        dtype: entry.need("dtype")?.word()?.into(),
        shape: entry.need("shape")?.list()?.iter().map(Value::number).collect::<Result<Vec<_>>>()?,
        data: Vec::new(),
        sampled: entry.get("sample").is_some(),
        digest: String::new(),
        agrees: false,
    };
    if !tensor.sampled {
        tensor.data = little_endian(entry, payload, item_size(&tensor.dtype)?)?;
        if tensor.data.len() != tensor.bytes()? {
            return Err(format!("{name}: a tensor of another size"));
        }
        let head = format!("{}\0{}\0", tensor.dtype, tensor.sizes());
        tensor.digest = sha256([head.as_bytes(), &tensor.data].concat());
        tensor.agrees = tensor.digest == entry.need("sha256")?.word()?;
    }
    Ok(tensor)
}

/// every tensor of a suite
pub fn tensors(folder: &str, suite: &str) -> Result<Vec<Tensor>> {
    let payload = payloads(&format!("{folder}/{suite}.safetensors"))?;
    let document = fs::read(format!("{folder}/{suite}.json")).map_err(|error| format!("{suite}.json: {error}"))?;
    let mut found = Vec::new();
    for case in parse(&document)?.need("cases")?.list()? {
        for side in ["inputs", "outputs"] {
            let Some(Value::Object(entries)) = case.get(side) else { continue };
            for (name, entry) in entries {
                found.push(tensor_of(case.need("id")?.word()?, side, name, entry, &payload)?);
            }
        }
    }
    Ok(found)
}

/// every tensor that is held whole, by its name; an error where a digest differs
pub fn read(folder: &str, suite: &str) -> Result<BTreeMap<String, Tensor>> {
    let mut found = BTreeMap::new();
    for tensor in tensors(folder, suite)?.into_iter().filter(|tensor| !tensor.sampled) {
        if !tensor.agrees {
            return Err(format!("{}: the digest differs", tensor.name));
        }
        found.insert(tensor.name.clone(), tensor);
    }
    Ok(found)
}

/// name, dtype, shape and data of each as a safetensors file, which `refpos verify` reads
pub fn write_answers(path: &str, answers: &[&Tensor]) -> Result<()> {
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for one in answers {
        let code = match one.dtype.as_str() {
            "float64" => "F64",
            "float32" => "F32",
            "float16" => "F16",
            "bfloat16" => "BF16",
            "int64" => "I64",
            other => return Err(format!("an unknown dtype {other}")),
        };
        if one.data.len() != one.bytes()? {
            return Err(format!("{}: data of another size", one.name));
        }
        let (begin, end, sizes) = (data.len(), data.len() + one.data.len(), one.sizes());
        let place = format!("\"shape\":[{sizes}],\"data_offsets\":[{begin},{end}]");
        entries.push(format!("\"{}\":{{\"dtype\":\"{code}\",{place}}}", one.name));
        data.extend(&one.data);
    }
    let mut header = format!("{{{}}}", entries.join(","));
    while header.len() % 8 != 0 {
        header.push(' '); // the data begins at a multiple of 8
    }
    let part = format!("{path}.part"); // no half file where writing fails
    let whole = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat();
    fs::write(&part, whole).and_then(|()| fs::rename(&part, path)).map_err(|error| format!("{path}: {error}"))
}

fn run(folder: &str, suite: &str) -> Result<i32> {
    let (mut agree, mut differ, mut sampled) = (0, 0, 0);
    for one in tensors(folder, suite)? {
        if one.sampled {
            sampled += 1;
            continue;
        }
        *(if one.agrees { &mut agree } else { &mut differ }) += 1;
        let item = item_size(&one.dtype)?;
        let last = if one.data.is_empty() { "empty".into() } else { last_element(&one.dtype, &one.data, item) };
        let mark = if one.agrees { "" } else { " DIFFERS" };
        println!("{} {} [{}] {}{mark} {last}", one.name, one.dtype, one.sizes(), one.digest);
    }
    println!("{agree} tensors agree, {differ} differ, {sampled} are held as samples");
    Ok(if differ > 0 { 1 } else if agree > 0 { 0 } else { 2 })
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let done = match words.as_slice() {
        [_, folder, suite] => run(folder, suite),
        _ => Err("two arguments: a folder, and the name of a suite".into()),
    };
    exit(done.unwrap_or_else(|error| {
        eprintln!("reader: {error}");
        2
    }));
}
