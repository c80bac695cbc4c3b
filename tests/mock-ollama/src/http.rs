//! HTTP/1.1 by hand: requests off a socket, the bytes of responses.

use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request with its whole body.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The client wants the connection closed afterwards.
    pub(crate) close: bool,
}

/// A client's socket and what was read from it ahead of use.
pub(crate) struct Socket {
    stream: TcpStream,
    ahead: Vec<u8>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let ahead = Vec::with_capacity(16 * 1024);
        Ok(Self { stream, ahead })
    }

    /// The next request, or none once the client has closed.
    pub(crate) async fn request(&mut self) -> io::Result<Option<Request>> {
        loop {
            if let Some((request, length)) = parse(&self.ahead)? {
                self.ahead.drain(..length);
                return Ok(Some(request));
            }
            if self.stream.read_buf(&mut self.ahead).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// Sends `bytes` at once, unless the client is known to be gone.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if matches!(self.stream.try_read_buf(&mut self.ahead), Ok(0)) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// What `work` gives, unless the client leaves before; then `work` is dropped.
    pub(crate) async fn unless_left<T>(&mut self, work: impl Future<Output = T>) -> io::Result<T> {
        tokio::select! {
            biased;
            result = work => Ok(result),
            () = self.left() => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Returns when the client has closed.
    async fn left(&mut self) {
        while matches!(self.stream.read_buf(&mut self.ahead).await, Ok(1..)) {}
    }
}

/// The request at the start of `bytes` and its length, once it is there in full.
fn parse(bytes: &[u8]) -> io::Result<Option<(Request, usize)>> {
    let mut slots = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Request::new(&mut slots);
    let status = head.parse(bytes).map_err(io::Error::other)?;
    let httparse::Status::Complete(start) = status else {
        return Ok(None);
    };
    let header = |name: &str| {
        let found = head.headers.iter().find(|it| it.name.eq_ignore_ascii_case(name));
        found.map(|it| String::from_utf8_lossy(it.value))
    };
    let length = header("content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
    let end = start.saturating_add(length);
    let Some(body) = bytes.get(start..end) else {
        return Ok(None);
    };
    let own = |it: &httparse::Header| (it.name.into(), String::from_utf8_lossy(it.value).into());
    let request = Request {
        method: head.method.unwrap_or_default().into(),
        path: head.path.unwrap_or_default().into(),
        headers: head.headers.iter().map(own).collect(),
        body: body.into(),
        close: header("connection").is_some_and(|it| it.eq_ignore_ascii_case("close")),
    };
    Ok(Some((request, end)))
}

/// The status line and headers of a response whose body is framed as `framing` says.
pub(crate) fn head(status: u16, content_type: &str, framing: &str) -> Vec<u8> {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "",
    };
    let head =
        format!("HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}\r\n{framing}\r\n\r\n");
    head.into_bytes()
}

/// One piece of a chunked body; an empty one ends it.
pub(crate) fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}
