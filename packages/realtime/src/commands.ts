import { ExactNumber, isRecord, numberText, parseExactJson } from '@tributary/kernel'
import type { Channels, Member } from './channels.ts'
import type { Connection } from './connection.ts'
import type { RealtimeLimits } from './limits.ts'
import {
  type ClientMessage,
  channelKind,
  clientEventRefused,
  closings,
  errorMessage,
  message,
  subscriptionError,
  textField,
  userChannel,
} from './protocol.ts'
import { type Signer, sameText } from './signatures.ts'

/** The commands that clients may send over their socket. */
export type Commands = {
  handle(connection: Connection, received: ClientMessage): void
  /** Removes a closed connection from all channels. */
  leaveAll(connection: Connection): void
}

/** Prefix of the channels on which only the server publishes. */
const serverOwned = 'private-sources-'

const presenceMember = (channelData: string | undefined): Member | undefined => {
  try {
    // The data is parsed exactly: two users whose IDs were rounded to the same number would be one member.
    const data = parseExactJson(channelData ?? '')
    if (!isRecord(data) || !('user_id' in data)) return undefined
    const given = data.user_id
    const userId = typeof given === 'number' || given instanceof ExactNumber ? numberText(String(given)) : given
    if (typeof userId !== 'string' || userId === '') return undefined
    return { userId, userInfo: 'user_info' in data ? data.user_info : {} }
  } catch {
    return undefined
  }
}

const signedInUser = (userData: string): string | undefined => {
  try {
    const id = textField(JSON.parse(userData), 'id')
    return id === '' ? undefined : id
  } catch {
    return undefined
  }
}

type CommandsOptions = {
  signer: Signer
  channels: Channels<Connection>
  limits: RealtimeLimits
}

/**
 * Returns why a subscription is rejected. Otherwise returns the subscriber's member (for presence channels) and whether
 * its values are masked.
 */
const admit = (
  { signer, limits }: CommandsOptions,
  connection: Connection,
  channel: string,
  data: unknown,
): { refused: string; status: number } | { member?: Member; masked?: boolean } => {
  const kind = channelKind(channel)
  const already = connection.subscriptions.has(channel)
  // A signed-in client may subscribe again to the channel of its own user, which it already has.
  if (kind === 'user' && already) return {}
  if (kind === undefined || kind === 'user') return { refused: 'The channel name is not allowed', status: 400 }
  if (!already && connection.subscriptions.size >= limits.channelsPerConnection)
    return { refused: 'Too many channels', status: 400 }
  if (kind === 'public') return {}
  const channelData = textField(data, 'channel_data')
  const auth = textField(data, 'auth') ?? ''
  const expected = signer.channel(connection.socketId, channel, channelData)
  if (kind === 'private' && sameText(signer.maskedChannel(connection.socketId, channel), auth)) return { masked: true }
  if (!sameText(expected, auth)) return { refused: 'The subscription is not authorized', status: 401 }
  if (kind !== 'presence') return {}
  const member = presenceMember(channelData)
  return member === undefined ? { refused: 'The channel_data needs a user_id', status: 400 } : { member }
}

/** Returns why a client may not send an event; undefined if it may. */
const clientEventProblem = (
  { channels, limits }: CommandsOptions,
  connection: Connection,
  { channel = '', data }: ClientMessage,
): string | undefined => {
  const kind = channelKind(channel)
  if ((kind !== 'private' && kind !== 'presence') || channel.startsWith(serverOwned))
    return 'Client events are not allowed on this channel'
  if (!channels.has(channel, connection)) return 'Client events need a subscription to the channel'
  if (JSON.stringify(data ?? null).length > limits.dataBytes) return 'The client event is too large'
  return connection.allowClientEvent() ? undefined : 'Too many client events; send fewer per second'
}

/** Makes the handlers of the protocol's commands, for a registry of channels. */
export const createCommands = (options: CommandsOptions): Commands => {
  const { signer, channels } = options

  const tellOthers = (channel: string, sender: Connection, text: string): void => {
    for (const other of channels.subscribers(channel)) if (other !== sender) other.sendLive(text)
  }

  const leave = (connection: Connection, channel: string): void => {
    connection.subscriptions.delete(channel)
    connection.masked.delete(channel)
    const { goneMember } = channels.leave(channel, connection)
    if (goneMember === undefined) return
    tellOthers(channel, connection, message('pusher_internal:member_removed', { user_id: goneMember }, channel))
  }

  const succeeded = (channel: string, member: Member | undefined): string => {
    if (member === undefined) return message('pusher_internal:subscription_succeeded', {}, channel)
    const members = channels.members(channel)
    const presence = { ids: [...members.keys()], hash: Object.fromEntries(members), count: members.size }
    return message('pusher_internal:subscription_succeeded', { presence }, channel)
  }

  const subscribe = (connection: Connection, data: unknown): void => {
    const channel = textField(data, 'channel') ?? ''
    const admitted = admit(options, connection, channel, data)
    if ('refused' in admitted) return connection.send(subscriptionError(channel, admitted.refused, admitted.status))
    const { member, masked = false } = admitted
    connection.subscriptions.add(channel)
    if (masked) connection.masked.add(channel)
    else connection.masked.delete(channel)
    const { newMember } = channels.join(channel, connection, member)
    connection.send(succeeded(channel, member))
    if (!newMember || member === undefined) return
    const added = { user_id: member.userId, user_info: member.userInfo }
    tellOthers(channel, connection, message('pusher_internal:member_added', added, channel))
  }

  const signIn = (connection: Connection, data: unknown): void => {
    const userData = textField(data, 'user_data') ?? ''
    const userId = signedInUser(userData)
    const isSigned = sameText(signer.user(connection.socketId, userData), textField(data, 'auth') ?? '')
    if (!isSigned || userId === undefined) return connection.end(closings.unauthorized)
    if (connection.signedIn !== undefined) leave(connection, userChannel(connection.signedIn))
    connection.signedIn = userId
    connection.subscriptions.add(userChannel(userId))
    channels.join(userChannel(userId), connection)
    connection.send(message('pusher:signin_success', { user_data: userData }))
  }

  const relay = (connection: Connection, received: ClientMessage): void => {
    const problem = clientEventProblem(options, connection, received)
    if (problem !== undefined) return connection.send(errorMessage(clientEventRefused, problem))
    const { channel = '', event, data } = received
    tellOthers(channel, connection, message(event, data, channel, channels.memberOf(channel, connection)?.userId))
  }

  return {
    handle(connection, received) {
      switch (received.event) {
        case 'pusher:ping':
          return connection.send(message('pusher:pong', {}))
        case 'pusher:pong':
          return
        case 'pusher:subscribe':
          return subscribe(connection, received.data)
        case 'pusher:unsubscribe':
          return leave(connection, textField(received.data, 'channel') ?? '')
        case 'pusher:signin':
          return signIn(connection, received.data)
        default:
          if (received.event.startsWith('client-')) relay(connection, received)
      }
    },
    leaveAll(connection) {
      for (const channel of connection.subscriptions) leave(connection, channel)
    },
  }
}
