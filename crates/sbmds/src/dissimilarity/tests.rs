//! Readers against round trips, hostile bytes and every error message.
