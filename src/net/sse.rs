use std::collections::VecDeque;

use super::{NetError, Response};

/// Yields the data of server-sent events one by one. Comments and events without data are skipped but count as signs of
/// life; the client's idle timeout and size limit apply to the bytes received.
#[derive(Debug)]
pub struct EventStream {
    response: Response,
    parser: EventParser,
    ready: VecDeque<String>,
    ended: bool,
}

impl EventStream {
    pub(super) fn new(response: Response) -> Self {
        EventStream { response, parser: EventParser::default(), ready: VecDeque::new(), ended: false }
    }

    /// Returns the next event's data, or `None` at the end of the reply and after an error. Cancel-safe.
    pub async fn next_data(&mut self) -> Option<Result<String, NetError>> {
        loop {
            if let Some(data) = self.ready.pop_front() {
                return Some(Ok(data));
            }
            if self.ended {
                return None;
            }
            match self.response.piece().await {
                Ok(Some(piece)) => self.parser.push(&piece, &mut self.ready),
                Ok(None) => {
                    self.ended = true;
                    self.parser.finish(&mut self.ready);
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// Turns bytes, split anywhere, into the data of events. Lines end with LF, CR or CRLF; bytes that are not UTF-8 become
/// U+FFFD, as the standard for event streams requires. Each byte is examined once.
#[derive(Debug, Default)]
struct EventParser {
    line: Vec<u8>,
    /// Whether the last byte was CR, so that an LF that follows belongs to it.
    after_return: bool,
    /// Whether the first line, which may begin with a byte order mark, has ended.
    started: bool,
    data: Option<String>,
}

impl EventParser {
    fn push(&mut self, mut bytes: &[u8], ready: &mut VecDeque<String>) {
        if bytes.is_empty() {
            return;
        }
        if std::mem::take(&mut self.after_return) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (head, rest) = bytes.split_at(end);
            self.line.extend_from_slice(head);
            self.end_line(ready);
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_return = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        self.line.extend_from_slice(bytes);
    }

    /// Handles the end of the stream. The standard drops an event without a final empty line, but some servers close
    /// right after their last line, so that event is kept. A line cut short is unfinished JSON and is rejected as such.
    fn finish(&mut self, ready: &mut VecDeque<String>) {
        if !self.line.is_empty() {
            self.end_line(ready);
        }
        ready.extend(self.data.take());
    }

    fn end_line(&mut self, ready: &mut VecDeque<String>) {
        let mut line = self.line.as_slice();
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            ready.extend(self.data.take().filter(|data| !data.is_empty()));
        } else if let Some(value) = field(line, b"data") {
            let value = String::from_utf8_lossy(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(&value);
                }
                None => self.data = Some(value.into_owned()),
            }
        }
        self.line.clear();
    }
}

/// Returns the value of a line with this field name; a line without a colon is a field without a value.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    match line.strip_prefix(name)? {
        [] => Some(&[]),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_however_their_bytes_are_split() {
        let check = |stream: &[u8], expected: &[&str]| {
            for size in 1..=stream.len() {
                let (mut parser, mut ready) = (EventParser::default(), VecDeque::new());
                stream.chunks(size).for_each(|piece| parser.push(piece, &mut ready));
                parser.finish(&mut ready);
                assert_eq!(ready, expected, "{:?} in pieces of {size}", String::from_utf8_lossy(stream));
            }
        };
        check("data: 日本語\r\n\r\ndata: b\n\n".as_bytes(), &["日本語", "b"]);
        check("\u{feff}data: a\n\n\u{feff}data: b\n\n".as_bytes(), &["a"]);
        check(b": keep-alive\n\nevent: x\nid: 1\nretry: 5\ndata: a\ndata:b\ndata:  c\n\n", &["a\nb\n c"]);
        check(b"data: a\r\rdata: b\r\n\r\n\r\n", &["a", "b"]);
        check(b"data\n\ndata:\n\ndatabase: x\n\n", &[]);
        check(b"data: [DONE]", &["[DONE]"]);
        check(b"data: a\n", &["a"]);
        check(b"data: \xff\n\n", &["\u{fffd}"]);
        check(b"\n\n\n", &[]);
    }
}
