import type { Logger } from '@tributary/kernel'

/**
 * The listeners of one thread, by topic. If a listener throws, the error is logged, and other listeners still get the
 * message.
 */
export type Listeners = {
  /** Adds a listener. Returns true if it is the first of its topic. */
  add(topic: string, listener: (message: unknown) => void): boolean
  /** Removes a listener. Returns true if it was the last of its topic. */
  remove(topic: string, listener: (message: unknown) => void): boolean
  deliver(topic: string, text: string): void
  clear(): void
}

export const createListeners = (logger: Logger): Listeners => {
  const byTopic = new Map<string, Set<(message: unknown) => void>>()
  return {
    add(topic, listener) {
      const listeners = byTopic.get(topic)
      if (listeners === undefined) {
        byTopic.set(topic, new Set([listener]))
        return true
      }
      listeners.add(listener)
      return false
    },
    remove(topic, listener) {
      const listeners = byTopic.get(topic)
      if (listeners === undefined || !listeners.delete(listener) || listeners.size > 0) return false
      byTopic.delete(topic)
      return true
    },
    deliver(topic, text) {
      const listeners = byTopic.get(topic)
      if (listeners === undefined) return
      const message: unknown = JSON.parse(text)
      for (const listener of Array.from(listeners)) {
        try {
          listener(message)
        } catch (error) {
          logger.error({ topic, error: error instanceof Error ? error.stack : String(error) }, 'a listener failed')
        }
      }
    },
    clear: () => byTopic.clear(),
  }
}

/** Converts a message to JSON text. A message that JSON cannot represent (undefined, a function) becomes null. */
export const toText = (message: unknown): string => JSON.stringify(message) ?? 'null'
