import { useEffect, useRef, useState } from 'react'

/** How long (ms) a change rests before it is kept. */
const rest = 300

type Callbacks = { onSuccess: () => void; onError: () => void }

/** How a draft is kept; each stays the same from one rendering to the next. */
export type Keeping<Draft, Step, Saved> = {
  /** The empty draft, which is not saved. */
  empty: Draft
  savedOf: (draft: Draft, step: Step) => Saved
  save: (saved: Saved, callbacks: Callbacks) => void
  discard: () => void
}

/**
 * Saves a draft on the server as it changes, even when the page is left before typing rests. The result `kept` is the
 * outcome for the shown draft. It is undefined while the draft is being saved.
 */
export const useDraftAutosave = <Draft, Step, Saved>(
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
      const settle = (outcome: 'saved' | 'failed') => () => setLast({ draft, step, outcome })
      save(savedOf(draft, step), { onSuccess: settle('saved'), onError: settle('failed') })
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
