import { Check } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { isDone, markDone, useUi } from '../../lib/browser/ui-store.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { cn } from '../../ui/cn.ts'
import { checklistFlag, remembered, type Step } from './getting-started.ts'

const Act = ({ step, current }: { step: Step; current: boolean }) => {
  const look = cn('shrink-0 rounded-sm text-sm font-medium hover:underline', current ? 'text-accent-ink' : 'text-ink-2')
  const words = (
    <>
      {current ? 'Start' : 'Open'}
      <span className="sr-only">: {step.title}</span>
    </>
  )
  if ('to' in step.place)
    return (
      <Link to={step.place.to} className={look}>
        {words}
      </Link>
    )
  return (
    <button type="button" aria-haspopup="dialog" onClick={step.place.open} className={look}>
      {words}
    </button>
  )
}

const StepRow = ({ step, current }: { step: Step; current: boolean }) => (
  <li className="flex items-center gap-3 py-2.5">
    <span
      aria-hidden
      className={cn(
        'grid size-5 shrink-0 place-items-center rounded-full border',
        step.done ? 'border-success bg-success text-white' : current ? 'border-accent' : 'border-line-strong',
      )}
    >
      {step.done && <Check className="size-3" strokeWidth={3} />}
    </span>
    <span className="min-w-0 flex-1">
      <span className={cn('block font-medium', step.done && 'text-ink-3')}>
        {step.title}
        {step.done && <span className="sr-only"> (done)</span>}
      </span>
      {!step.done && <span className="block text-xs text-ink-2">{step.text}</span>}
    </span>
    {!step.done && <Act step={step} current={current} />}
  </li>
)

/** The first steps in a workspace until the user hides them; this browser remembers that, and the completed ones. */
export const GettingStarted = ({ steps: found, workspace }: { steps: readonly Step[]; workspace: string }) => {
  const flags = useUi((state) => state.flags)
  useEffect(() => {
    for (const step of found) {
      const flag = checklistFlag(workspace, step.id)
      if (step.done && !isDone(useUi.getState().flags, flag)) markDone(flag)
    }
  }, [found, workspace])
  if (isDone(flags, checklistFlag(workspace))) return null
  const steps = remembered(found, flags, workspace)
  const done = steps.filter((step) => step.done).length
  const current = steps.find((step) => !step.done)
  return (
    <Card
      title="Getting started"
      description={`${done} of ${steps.length} done`}
      action={
        <Button variant="none" size="sm" onClick={() => markDone(checklistFlag(workspace))}>
          {done === steps.length ? 'Dismiss' : 'Hide'}
        </Button>
      }
    >
      {done === steps.length ? (
        <p className="text-sm text-ink-2">You're all set. Events are being received and delivered.</p>
      ) : (
        <ol className="-my-2 divide-y divide-line">
          {steps.map((step) => (
            <StepRow key={step.id} step={step} current={step === current} />
          ))}
        </ol>
      )}
    </Card>
  )
}
