import { useEffect, useRef, useState } from 'react'

/** Delay in ms between a change and saving it. */
const rest = 300

type Callbacks = { onSuccess: () => void; onError: () => void }

/** How a draft is stored; the functions must stay the same between renderings. */
export type Keeping<Draft, Step, Saved> = {
  /** The empty draft, which is not saved. */
  empty: Draft
  savedOf: (draft: Draft, step: Step) => Saved
  save: (saved: Saved, callbacks: Callbacks) => void
  discard: () => void
}

/**
 * Saves a draft on the server as it changes, also if the user leaves the page before the delay ends. The result `kept`
 * is the outcome of saving the shown draft; undefined until the save has ended.
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

/**
 * The draft of a form in steps and its current step, saved as they change. `onGo` runs before each change of the step.
 */
export const useStepDraft = <Draft, Step, Saved>(
  initial: { draft: Draft; step: Step },
  first: Step,
  keeping: Keeping<Draft, Step, Saved>,
  onGo: () => void,
) => {
  const [draft, setDraft] = useState(initial.draft)
  const [step, setStep] = useState(initial.step)
  const { kept, discard } = useDraftAutosave(draft, step, keeping)
  const go = (next: Step): void => {
    onGo()
    setStep(next)
  }
  const onStartOver = (): void => {
    discard()
    setDraft(keeping.empty)
    go(first)
  }
  return { draft, setDraft, step, go, discard, started: draft === keeping.empty ? undefined : { kept, onStartOver } }
}
