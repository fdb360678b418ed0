import { useEffect, useRef, useState } from 'react'

/** How long (ms) a change rests before it is kept. */
const rest = 300

type Told = { onSuccess: () => void; onError: () => void }

/** How a draft is kept; each stays the same from one rendering to the next. */
export type Keeping<Draft, Step, Saved> = {
  /** What is not kept: nothing was entered yet. */
  empty: Draft
  savedOf: (draft: Draft, step: Step) => Saved
  save: (saved: Saved, told: Told) => void
  discard: () => void
}

/**
 * Keeps a draft on the server as it changes, also when the page is left before a change has rested, and says of what is shown
 * whether that worked; nothing while it is under way.
 */
export const useKeptDraft = <Draft, Step, Saved>(
  draft: Draft,
  step: Step,
  { empty, savedOf, save, discard }: Keeping<Draft, Step, Saved>,
) => {
  const [last, setLast] = useState<{ draft: Draft; step: Step; outcome?: 'saved' | 'failed' }>({ draft, step })
  const waiting = useRef<{ timer: ReturnType<typeof setTimeout>; keep: () => void }>(undefined)
  const isLast = last.draft === draft && last.step === step
  useEffect(() => {
    if (isLast || draft === empty) return
    const keep = (): void => {
      waiting.current = undefined
      const told = (outcome: 'saved' | 'failed') => () => setLast({ draft, step, outcome })
      save(savedOf(draft, step), { onSuccess: told('saved'), onError: told('failed') })
    }
    clearTimeout(waiting.current?.timer)
    waiting.current = { timer: setTimeout(keep, rest), keep }
  }, [isLast, draft, step, empty, savedOf, save])
  useEffect(
    () => () => {
      clearTimeout(waiting.current?.timer)
      waiting.current?.keep()
    },
    [],
  )
  return {
    kept: isLast ? last.outcome : undefined,
    discard: (): void => {
      clearTimeout(waiting.current?.timer)
      waiting.current = undefined
      discard()
    },
  }
}
