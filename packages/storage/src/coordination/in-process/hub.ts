import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { type Logger, silentLogger } from '@tributary/kernel'
import type { Coordination, CoordinationLink } from '../port.ts'
import { createFlow, createReceipts, type FromHub, type Question, type ToHub } from './frames.ts'
import { createLedger } from './ledger.ts'
import { createListeners, toText } from './listeners.ts'

const sweepMs = 10_000

export type CoordinationHub = {
  /** The coordination of the thread that created the hub. Its `close` closes the hub. */
  coordination: Coordination
  /** Creates a connection for one worker. Transfer the port to the worker, and call `connectCoordination` there. */
  port(): MessagePort
  /**
   * Returns the number of messages, since the start, that were dropped because their receiver did not read fast enough.
   */
  dropped(): number
  close(): Promise<void>
}

type Answering = Pick<Coordination, 'increment' | 'acquireLease' | 'releaseLease'>

/** A connected thread, as the hub sees it. */
type Peer = { topics: Set<string>; send(topic: string, text: string): void; close(): void }

/** Creates counters and leases of this process alone. */
const ownLedger = (now: () => number): Answering & { close(): Promise<void> } => {
  const ledger = createLedger(now)
  const sweeper = setInterval(() => ledger.sweep(), sweepMs)
  sweeper.unref()
  return {
    increment: async (key, by, ttlMs) => ledger.increment(key, by, ttlMs),
    acquireLease: async (name, holder, ttlMs) => ledger.acquire(name, holder, ttlMs) || undefined,
    releaseLease: async (name, holder) => ledger.release(name, holder),
    close: async () => clearInterval(sweeper),
  }
}

type HubOptions = {
  logger?: Logger
  now?: () => number
  link?: CoordinationLink | undefined
  /** Whether messages on a topic are sent to other processes. */
  isShared?: (topic: string) => boolean
}

/** Executes the call of a thread, and returns the result as a number. */
const answer = async (ledger: Answering, question: Question): Promise<number> => {
  if (question.kind === 'increment') return await ledger.increment(question.key, question.by, question.ttlMs)
  if (question.kind === 'acquire')
    return (await ledger.acquireLease(question.name, question.holder, question.ttlMs)) ?? 0
  await ledger.releaseLease(question.name, question.holder)
  return 1
}

type Dispatching = {
  publish(topic: string, text: string): void
  answer(question: Question): Promise<number>
  /** Called for each message that a thread does not get because it does not read fast enough. */
  onDropped(): void
}

/** Serves the thread at the other end of a port. */
const createPeer = (port: MessagePort, to: Dispatching): Peer => {
  const flow = createFlow()
  const say = (frame: FromHub): void => port.postMessage(frame)
  const read = createReceipts((bytes) => say({ kind: 'handled', bytes }))
  const peer: Peer = {
    topics: new Set(),
    send(topic, text) {
      if (flow.admit(text.length)) say({ kind: 'message', topic, text })
      else to.onDropped()
    },
    close: () => port.close(),
  }
  port.on('message', (frame: ToHub) => {
    if (frame.kind === 'question')
      to.answer(frame.question).then(
        (value) => say({ kind: 'answer', id: frame.id, value }),
        (error) => say({ kind: 'failure', id: frame.id, message: String(error) }),
      )
    else if (frame.kind === 'handled') flow.handled(frame.bytes)
    else if (frame.kind === 'subscribe') peer.topics.add(frame.topic)
    else if (frame.kind === 'unsubscribe') peer.topics.delete(frame.topic)
    else {
      to.publish(frame.topic, frame.text)
      read(frame.text.length)
    }
  })
  return peer
}

/**
 * Creates the coordination for the threads of one process. The hub's thread holds the counters and leases, so they are
 * exact over all threads. It forwards every message, so all subscribers of a topic, including the publisher, see the
 * same order. At most 16 Mi characters wait for a thread that does not read; further messages to that thread are
 * dropped.
 *
 * With a link, all processes that have one share counters and leases, and receive each other's messages. Messages are
 * in order per publisher. Messages within a process do not wait for the link.
 */
export const createCoordinationHub = (options: HubOptions = {}): CoordinationHub => {
  const { logger = silentLogger, now = () => performance.now(), link, isShared = () => true } = options
  const ledger = link ?? ownLedger(now)
  const listeners = createListeners(logger)
  const peers = new Set<Peer>()
  let dropped = 0
  let closed = false

  const spread = (topic: string, text: string): void => {
    for (const peer of peers) if (peer.topics.has(topic)) peer.send(topic, text)
    listeners.deliver(topic, text)
  }

  link?.listen(spread)
  const publish = (topic: string, text: string): void => {
    spread(topic, text)
    if (isShared(topic)) link?.send(topic, text)
  }

  const dispatching: Dispatching = {
    publish,
    answer: (question) => answer(ledger, question),
    onDropped() {
      dropped += 1
    },
  }
  const connect = (port: MessagePort): void => {
    const peer = createPeer(port, dispatching)
    port.on('close', () => peers.delete(peer))
    port.unref()
    peers.add(peer)
  }

  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    for (const peer of peers) peer.close()
    peers.clear()
    listeners.clear()
    await ledger.close()
  }

  const opened = (): Answering => {
    if (closed) throw new Error('The coordination is closed')
    return ledger
  }

  const coordination: Coordination = {
    publish(topic, message) {
      if (closed) return
      const text = toText(message)
      queueMicrotask(() => publish(topic, text))
    },
    subscribe(topic, listener) {
      const own = (message: unknown): void => listener(message)
      if (!closed) listeners.add(topic, own)
      return () => void listeners.remove(topic, own)
    },
    increment: async (key, by, ttlMs) => await opened().increment(key, by, ttlMs),
    acquireLease: async (name, holder, ttlMs) => await opened().acquireLease(name, holder, ttlMs),
    releaseLease: async (name, holder) => await opened().releaseLease(name, holder),
    close,
  }

  return {
    coordination,
    port() {
      opened()
      const { port1, port2 } = new MessageChannel()
      connect(port1)
      return port2
    },
    dropped: () => dropped,
    close,
  }
}
