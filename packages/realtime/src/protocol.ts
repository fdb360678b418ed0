import { isRecord, parseExactJson } from '@tributary/kernel'
/**
 * The Pusher channels protocol, versions 6 and 7: names, codes, and messages. No I/O. Version 7 added the sign-in of
 * users; clients of version 6 do not use it.
 */

export type ChannelKind = 'public' | 'private' | 'presence' | 'encrypted' | 'user'

const userPrefix = '#server-to-user-'
const channelName = /^[A-Za-z0-9_\-=@,.;]{1,164}$/

/**
 * Returns the kind of a channel by its prefix. Returns undefined if the name is invalid (letters, digits, `_-=@,.;`, at
 * most 164 characters).
 */
export const channelKind = (name: string): ChannelKind | undefined => {
  if (name.startsWith(userPrefix)) return name.length > userPrefix.length && name.length <= 200 ? 'user' : undefined
  if (!channelName.test(name)) return undefined
  if (name.startsWith('private-encrypted-')) return 'encrypted'
  if (name.startsWith('private-')) return 'private'
  return name.startsWith('presence-') ? 'presence' : 'public'
}

/** Returns the channel for messages to one signed-in user. */
export const userChannel = (userId: string): string => userPrefix + userId

export const isSocketId = (text: string): boolean => /^\d{1,20}\.\d{1,20}$/.test(text)

/**
 * The reasons for closing a connection, with the codes of the protocol. After codes from 4000 on, clients do not
 * reconnect; from 4100 on, they reconnect later; from 4200 on, immediately.
 */
export const closings = {
  unknownApp: { code: 4001, message: 'There is no application with this key' },
  noVersion: { code: 4008, message: 'No protocol version was given' },
  badVersion: { code: 4006, message: 'The protocol version is not a number' },
  otherVersion: { code: 4007, message: 'This protocol version is not supported; use 6 or 7' },
  unauthorized: { code: 4009, message: 'The connection is not authorized' },
  overCapacity: { code: 4100, message: 'Too many connections; try again later' },
  tooManyMessages: { code: 4100, message: 'Too many messages; try again later' },
  tooSlow: { code: 4100, message: 'The client does not read fast enough; try again later' },
  /** With 4200, clients would reconnect immediately, before the server is ready. */
  stopping: { code: 4100, message: 'The server is restarting; connect again in a moment' },
  /** Clients reconnect immediately for a new authorization, and continue with their remaining access. */
  accessChanged: { code: 4200, message: 'Your access has changed; connect again' },
  silent: { code: 4201, message: 'No answer to a ping' },
} as const
export type Closing = (typeof closings)[keyof typeof closings]

/** The error code for a rejected client event. The connection stays open. */
export const clientEventRefused = 4301

/** Returns the reason to close a connection with this `protocol` parameter; undefined if its version is supported. */
export const versionProblem = (protocol: string | null): Closing | undefined => {
  if (protocol === null || protocol === '') return closings.noVersion
  if (!/^\d+$/.test(protocol)) return closings.badVersion
  return protocol === '6' || protocol === '7' ? undefined : closings.otherVersion
}

export type ClientMessage = { event: string; channel?: string; data: unknown }

const parsed = (text: string): unknown => {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

/**
 * Parses the message of a client; undefined if it is invalid. `data` may be JSON text or a value; commands get the
 * value.
 */
export const parseMessage = (text: string): ClientMessage | undefined => {
  const value = parsed(text)
  if (!isRecord(value) || !('event' in value) || typeof value.event !== 'string') return undefined
  const data = 'data' in value ? value.data : undefined
  const channel = 'channel' in value && typeof value.channel === 'string' ? value.channel : undefined
  const isCommand = value.event.startsWith('pusher:')
  return {
    event: value.event,
    ...(channel === undefined ? {} : { channel }),
    data: isCommand && typeof data === 'string' ? parsed(data) : data,
  }
}

/** Returns a text field of a command's data. */
export const textField = (data: unknown, name: string): string | undefined => {
  if (!isRecord(data)) return undefined
  const value: unknown = Object.getOwnPropertyDescriptor(data, name)?.value
  return typeof value === 'string' ? value : undefined
}

/** Returns the data of a message as text. */
export const dataText = (data: unknown): string => (typeof data === 'string' ? data : JSON.stringify(data ?? {}))

/**
 * Returns a message to a client as text. The protocol requires `data` to be text, so values are encoded a second time.
 */
export const message = (event: string, data: unknown, channel?: string, userId?: string): string =>
  JSON.stringify({
    event,
    ...(channel === undefined ? {} : { channel }),
    data: dataText(data),
    ...(userId === undefined ? {} : { user_id: userId }),
  })

/** Returns the message `pusher:error`, whose data is a plain object by the protocol. */
export const errorMessage = (code: number, text: string): string =>
  JSON.stringify({ event: 'pusher:error', data: { code, message: text } })

/** Returns the message for a rejected subscription. */
export const subscriptionError = (channel: string, error: string, status: number): string =>
  JSON.stringify({ event: 'pusher:subscription_error', channel, data: { type: 'AuthError', error, status } })
