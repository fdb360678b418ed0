import type { ReactNode } from 'react'
import { failureText } from '../lib/api/errors.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { StepList } from './step-list.tsx'

/** A form for a new object in steps: the list of steps, the fields of the current step, and the state of the draft. */
export const StepForm = <Step extends string>({
  label,
  heading,
  steps,
  titles,
  step,
  open,
  onChoose,
  draft,
  error,
  besides,
  submit,
  pending,
  onSubmit,
  children,
}: {
  label: string
  heading: string
  steps: readonly Step[]
  titles: Readonly<Record<Step, string>>
  step: Step
  /** The first incomplete step; undefined if all are complete. */
  open: Step | undefined
  onChoose: (step: Step) => void
  /** Undefined before any input. */
  draft: { kept: 'saved' | 'failed' | undefined; onStartOver: () => void } | undefined
  /** The error of the rejected creation. */
  error: unknown
  /** Content beside the buttons. */
  besides: ReactNode
  /** The label of the last step's button. */
  submit: string
  pending: boolean
  onSubmit: () => Promise<void>
  children: ReactNode
}) => {
  const before = steps[steps.indexOf(step) - 1]
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[11rem_minmax(0,46rem)]">
      <div className="space-y-3">
        <StepList steps={steps} titles={titles} step={step} open={open} onChoose={onChoose} />
        {draft !== undefined && (
          <p className="flex flex-wrap items-center gap-x-2 px-2 text-xs text-ink-3">
            <output>{draft.kept === 'saved' ? 'Draft saved' : draft.kept === 'failed' ? 'Draft not saved' : ''}</output>
            <Button variant="link" size="xs" onClick={draft.onStartOver}>
              Start over
            </Button>
          </p>
        )}
      </div>
      <form
        noValidate
        aria-label={label}
        onSubmit={(event) => {
          event.preventDefault()
          void onSubmit()
        }}
      >
        <Card
          title={heading}
          footer={
            <>
              {error !== null && (
                <p role="alert" className="mr-auto min-w-0 text-xs break-words text-danger-ink">
                  {failureText(error)}
                </p>
              )}
              {besides}
              {before !== undefined && <Button onClick={() => onChoose(before)}>Back</Button>}
              <Button type="submit" variant="primary" loading={pending}>
                {step === steps.at(-1) ? submit : 'Continue'}
              </Button>
            </>
          }
        >
          {children}
        </Card>
      </form>
    </div>
  )
}
