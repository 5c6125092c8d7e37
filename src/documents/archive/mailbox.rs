//! Mailboxes: the messages of a file, as members of an archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use super::found::{ArchiveEntry, Flow, Problem, Show};
use crate::base::ContentHash;

/// The beginning of a message, on its own line after an empty one.
const FROM: &[u8] = b"From ";

/// The most characters of a message's id that its name takes.
const LONGEST_NAME: usize = 120;

/// The position of a message in its mailbox.
struct Message {
    start: u64,
    length: u64,
    name: String,
}

/// Shows the messages of a mailbox. Each is named after its id, so that it keeps its name when others come and go. A
/// mailbox is as long as its content, so neither the number nor the length of its messages is limited.
pub(super) fn read(mut file: File, show: Show<'_>) -> Result<Flow, Problem> {
    let messages = scan(&mut BufReader::new(&file))?;
    // The number of messages of each name so far: all messages of a mailbox may share one.
    let mut copies: BTreeMap<String, u64> = BTreeMap::new();
    for message in messages {
        let copy = copies.entry(message.name.clone()).or_default();
        *copy += 1;
        // A name made from an id has no spaces, so this one is unique.
        let name = if *copy == 1 { message.name } else { format!("{} ({copy})", message.name) };
        file.seek(SeekFrom::Start(message.start))?;
        let mut content = Unescaped { inner: (&mut file).take(message.length), line: Vec::new(), at: 0 };
        // The mailbox's time is not used, since it changes with every new message.
        let (name, size) = (format!("{name}.eml"), message.length);
        if show(ArchiveEntry::Member { name: &name, size, modified_ns: Some(0), content: &mut content })? == Flow::Stop
        {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::On)
}

/// Locates the messages without keeping them.
fn scan(reader: &mut dyn BufRead) -> io::Result<Vec<Message>> {
    let mut messages: Vec<Message> = Vec::new();
    let (mut at, mut after_blank, mut in_head, mut id_follows) = (0_u64, true, false, false);
    let mut line = Vec::new();
    loop {
        line.clear();
        // A longer line does not occur in a head; its rest is read as further lines.
        let read = (&mut *reader).take(1 << 16).read_until(b'\n', &mut line)? as u64;
        if read == 0 {
            return Ok(messages);
        }
        if after_blank && line.starts_with(FROM) {
            let name = format!("message-{}", messages.len() + 1);
            messages.push(Message { start: at + read, length: 0, name });
            in_head = true;
        } else if let Some(message) = messages.last_mut() {
            message.length += read;
            if in_head {
                let text = String::from_utf8_lossy(&line);
                let value = match text.split_once(':') {
                    Some((key, value)) if key.eq_ignore_ascii_case("message-id") => {
                        id_follows = true;
                        value
                    }
                    _ if id_follows && text.starts_with([' ', '\t']) => &*text,
                    _ => {
                        id_follows = false;
                        ""
                    }
                };
                if let Some(name) = name_of(value) {
                    message.name = name;
                    id_follows = false;
                }
            }
        }
        let blank = line.iter().all(u8::is_ascii_whitespace);
        in_head &= !blank;
        after_blank = blank;
        at += read;
    }
}

/// The name made from an id; `None` if nothing is left of it.
fn name_of(id: &str) -> Option<String> {
    let id = id.trim().trim_start_matches('<').trim_end_matches('>');
    let plain = |c: char| if c.is_alphanumeric() || "@._-+=".contains(c) { c } else { '_' };
    let name: String = id.chars().map(plain).take(LONGEST_NAME).collect();
    let name = name.trim_start_matches('.');
    match (id.chars().count() > LONGEST_NAME, name.is_empty()) {
        (_, true) => None,
        // The part that was cut off may be the only difference between two ids.
        (true, _) => Some(format!("{name}-{}", ContentHash::of(id.as_bytes()))),
        (false, _) => Some(name.to_owned()),
    }
}

/// A message with its escaping undone: a line `>From ` was `From ` before the message was put into the mailbox.
struct Unescaped<R> {
    inner: io::Take<R>,
    line: Vec<u8>,
    at: usize,
}

impl<R: Read> Read for Unescaped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.line.is_empty() {
            // Reading the whole message is safe: its length was announced.
            self.inner.read_to_end(&mut self.line)?;
            self.line = unescaped(&self.line);
        }
        let left = self.line.get(self.at..).unwrap_or_default();
        let count = left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&left[..count]);
        self.at += count;
        Ok(count)
    }
}

fn unescaped(message: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(message.len());
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        let escaped = marks > 0 && line[marks..].starts_with(FROM);
        plain.extend_from_slice(&line[usize::from(escaped)..]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart() {
        let mailbox =
            b"From a@x Mon\nMessage-ID: <1@x>\nSubject: s\n\nFrom here on\ntext\n\nFrom b@x Tue\nSubject: t\n\
                        message-id:\n <2/b@x>\n\n>From the start\n>>From\n\nFrom c@x Wed\nSubject: u\n\nend";
        let found = scan(&mut BufReader::new(&mailbox[..])).expect("read");
        let texts: Vec<String> = found
            .iter()
            .map(|message| {
                let content = &mailbox[message.start as usize..][..message.length as usize];
                String::from_utf8(unescaped(content)).expect("text")
            })
            .collect();
        let names: Vec<&str> = found.iter().map(|message| message.name.as_str()).collect();
        // A line `From ` right after the empty line that ends a head begins another message, as in all readers of
        // mailboxes.
        assert_eq!(names, ["1@x", "message-2", "2_b@x", "message-4"]);
        assert_eq!(texts[2], "Subject: t\nmessage-id:\n <2/b@x>\n\nFrom the start\n>>From\n\n");
        assert_eq!(texts[3], "Subject: u\n\nend");
    }
}
