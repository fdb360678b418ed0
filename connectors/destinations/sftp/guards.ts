import { ConfigurationError, type DeliveryError } from '@tributary/connector-kit'
import type { Client } from 'ssh2'

/**
 * Minimum bytes of a packet that a server takes. The client divides its data into packets of that size: with 0 it never
 * ends, with 1 it costs much time. RFC 4253, 6.1 demands 32,768.
 */
const minPacketBytes = 1024
/** Maximum exchanges of keys during one use of a connection. Each costs computing time, and its answers few bytes. */
const maxHandshakes = 5
/** Maximum questions that the user's password answers. */
const maxPrompts = 4

/** Ends the connection with an error. */
type End = (error: DeliveryError) => void

/** The function that the client calls when the server opened a channel. Its types do not name it, and no event has the size. */
type Internals = { _protocol?: { _handlers?: Record<string, unknown> } }

/**
 * Ends the connection if the server opens a channel for tiny packets. Call it right after `connect`, before data
 * arrives. Throws if the client has no place for the check, so that no connection is made without it.
 */
export const refuseTinyPackets = (client: Client, end: End): void => {
  const handlers = (client as Client & Internals)._protocol?._handlers
  const opened = handlers?.CHANNEL_OPEN_CONFIRMATION
  if (handlers === undefined || typeof opened !== 'function')
    throw new Error('The client of SFTP has no place for the check of packets')
  handlers.CHANNEL_OPEN_CONFIRMATION = (protocol: unknown, channel: { packetSize?: unknown }): void => {
    const { packetSize } = channel
    if (typeof packetSize === 'number' && packetSize >= minPacketBytes) opened(protocol, channel)
    else end(new ConfigurationError(`The server takes packets of ${String(packetSize)} bytes, which are too small`))
  }
}

/** Ends the connection if the server exchanges keys too often. The returned function begins a new count. */
export const limitHandshakes = (client: Client, end: End): (() => void) => {
  let handshakes = 0
  client.on('handshake', () => {
    handshakes++
    if (handshakes > maxHandshakes) end(new ConfigurationError('The server exchanges keys too often'))
  })
  return () => {
    handshakes = 0
  }
}

/** Answers with the password when the server asks for it, which many servers do in this form only. It answers once. */
export const answerPrompts = (client: Client, password: string | undefined, end: End): void => {
  let isAnswered = false
  client.on('keyboard-interactive', (_name, _text, _language, prompts, finish) => {
    if (isAnswered || prompts.length > maxPrompts)
      return end(new ConfigurationError('The server asks for more than a password'))
    isAnswered = true
    finish(prompts.map(() => password ?? ''))
  })
}
