import { useState } from 'react'
import { failureText } from '../lib/api/errors.ts'

/** Returns the message of an error, without the messages about single fields. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error')

/** Runs calls that a user starts, one at a time. Returns whether a call is pending, and the text of its failure. */
export const useAttempt = (textOf: (error: unknown) => string = failureText) => {
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | undefined>()
  return {
    pending,
    failure,
    setFailure,
    attempt: async (run: () => Promise<unknown>): Promise<void> => {
      setPending(true)
      setFailure(undefined)
      try {
        await run()
      } catch (error) {
        setFailure(textOf(error))
      } finally {
        setPending(false)
      }
    },
  }
}
