import type { ReactNode } from 'react'
import { failureText } from '../lib/api/errors.ts'
import { Alert } from '../ui/alert.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { StepList } from './step-list.tsx'

type StartedDraft = { kept: 'saved' | 'failed' | undefined; onStartOver: () => void }

const DraftState = ({ kept, onStartOver }: StartedDraft) => (
  <p className="flex flex-wrap items-center gap-x-2 px-2 text-xs text-ink-3">
    <output>{kept === 'saved' ? 'Draft saved' : kept === 'failed' ? 'Draft not saved' : ''}</output>
    <Button variant="link" size="xs" onClick={onStartOver}>
      Start over
    </Button>
  </p>
)

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
  draft: StartedDraft | undefined
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
        {draft !== undefined && <DraftState {...draft} />}
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
              {error !== null && <Alert className="mr-auto min-w-0 text-xs break-words">{failureText(error)}</Alert>}
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

/** One line of the review before the object is created. */
export const ReviewFact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="grid gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[8rem_minmax(0,1fr)]">
    <dt className="text-sm text-ink-3">{title}</dt>
    <dd className="text-sm break-words">{children}</dd>
  </div>
)
