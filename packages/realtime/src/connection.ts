import type { RawData, WebSocket } from 'ws'
import type { RealtimeLimits } from './limits.ts'
import { type Closing, closings, errorMessage } from './protocol.ts'

/**
 * Makes a function that allows `perSecond` calls in each second; a second begins with a call. `now` is monotonic, in
 * ms.
 */
export const createRate = (perSecond: number): ((now: number) => boolean) => {
  let from = Number.NEGATIVE_INFINITY
  let used = 0
  return (now) => {
    if (now - from >= 1000) {
      from = now
      used = 0
    }
    return ++used <= perSecond
  }
}

/** The socket of one client. Its memory is limited, whatever the client does. */
export type Connection = {
  readonly socketId: string
  /** The channels to which the client is subscribed. */
  readonly subscriptions: Set<string>
  /** The subscriptions for which values are masked. */
  readonly masked: Set<string>
  /** The users that were authorized through this connection. It ends when one of them loses access. */
  readonly owners: Set<string>
  /** The ID of the signed-in user. */
  signedIn?: string
  /** Sends a protocol response; closes the socket if too many bytes are unsent. */
  send(text: string): void
  /** Sends a live message, unless the socket has too many unsent bytes. Returns whether it was sent. */
  sendLive(text: string): boolean
  /** Sends the reason and closes the connection. */
  end(closing: Closing): void
  /** Closes immediately without a message. */
  cut(): void
  allowMessage(): boolean
  allowClientEvent(): boolean
  /** Records that the client has just sent something. */
  heard: () => void
  /** Pings a silent client, and closes its connection if it does not respond. Call it periodically. */
  checkSilence(): void
}

const closeGraceMs = 2000

/** A received message as text. */
export const textOf = (data: RawData): string => {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString()
}

/** Wraps an open socket. */
export const createConnection = (socket: WebSocket, socketId: string, limits: RealtimeLimits): Connection => {
  const messages = createRate(limits.messagesPerSecond)
  const clientEvents = createRate(limits.clientEventsPerSecond)
  let lastHeard = performance.now()
  let asked = false
  let ending = false

  const end = ({ code, message }: Closing): void => {
    if (ending) return
    ending = true
    if (socket.readyState === socket.OPEN) {
      socket.send(errorMessage(code, message))
      socket.close(code, message)
    }
    // Ends the socket of a client that ignores the close frame.
    setTimeout(() => socket.terminate(), closeGraceMs).unref()
  }
  const send = (text: string): void => {
    if (ending || socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > limits.cutBytes) {
      ending = true
      socket.terminate()
      return
    }
    socket.send(text)
  }
  return {
    socketId,
    subscriptions: new Set(),
    masked: new Set(),
    owners: new Set(),
    send,
    sendLive(text) {
      if (socket.bufferedAmount > limits.skipBytes) return false
      send(text)
      return true
    },
    end,
    cut() {
      ending = true
      socket.terminate()
    },
    allowMessage: () => messages(performance.now()),
    allowClientEvent: () => clientEvents(performance.now()),
    heard() {
      lastHeard = performance.now()
      asked = false
    },
    checkSilence() {
      const silence = performance.now() - lastHeard
      if (silence > limits.activityMs + limits.pongMs) end(closings.silent)
      else if (silence > limits.activityMs && !asked) {
        asked = true
        send(JSON.stringify({ event: 'pusher:ping', data: {} }))
      }
    },
  }
}
