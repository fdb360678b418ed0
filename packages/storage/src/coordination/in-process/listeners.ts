import type { Logger } from '@tributary/kernel'

/** The listeners of one thread, by topic. A listener that throws is logged and does not keep the message from others. */
export type Listeners = {
  /** Returns true when it is the first of its topic. */
  add(topic: string, listener: (message: unknown) => void): boolean
  /** Returns true when it was the last of its topic. */
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

/** A message as JSON text; what JSON cannot say (undefined, functions) becomes null. */
export const toText = (message: unknown): string => JSON.stringify(message) ?? 'null'
