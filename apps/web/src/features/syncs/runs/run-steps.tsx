import type { SyncRun } from '@tributary/contract'
import { Circle, CircleAlert, CircleCheck, CircleSlash } from 'lucide-react'
import { cn } from '../../../ui/cn.ts'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { useCurrentTime } from '../../../ui/relative-time.tsx'
import { type RunStep, stepsOf } from '../sync-words.ts'

const StepIcon = ({ step, failed, asks }: { step: RunStep; failed: boolean; asks: boolean }) => {
  if (step.state === 'done') return <CircleCheck aria-hidden className="size-5 text-success-ink" />
  if (step.state === 'ahead') return <Circle aria-hidden className="size-5 text-line-strong" />
  if (step.state === 'stopped')
    return failed ? (
      <CircleAlert aria-hidden className="size-5 text-danger-ink" />
    ) : (
      <CircleSlash aria-hidden className="size-5 text-ink-3" />
    )
  return asks ? (
    <CircleAlert aria-hidden className="size-5 text-warning-ink" />
  ) : (
    <Spinner size="sm" label="In progress" />
  )
}

const stateWords = { done: 'done', active: 'in progress', ahead: 'not started', stopped: 'not finished' } as const

/** Lists the steps of a run, each with its duration and result. Updated while the run is in progress. */
export const RunSteps = ({ run }: { run: SyncRun }) => {
  const now = useCurrentTime()
  return (
    <ol aria-label="Steps" className="space-y-2.5">
      {stepsOf(run, now).map((step) => (
        <li key={step.id} className="flex items-start gap-3 text-sm">
          <span className="grid size-5 shrink-0 place-items-center">
            <StepIcon step={step} failed={run.state === 'failed'} asks={step.id === 'needs_approval'} />
          </span>
          <span className="min-w-0 flex-1">
            <span className={cn('font-medium', step.state === 'ahead' && 'font-normal text-ink-3')}>{step.title}</span>
            <span className="sr-only">, {stateWords[step.state]}</span>
            {step.text !== '' && <span className="block text-xs break-words text-ink-2">{step.text}</span>}
          </span>
          <span className="shrink-0 text-xs text-ink-3 tabular">{step.duration}</span>
        </li>
      ))}
    </ol>
  )
}
