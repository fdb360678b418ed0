import { Check } from 'lucide-react'
import { cn } from '../ui/cn.ts'

/** On a narrow page the steps scroll sideways: keeps the current step in view. */
const intoView = (item: HTMLElement | null): void => item?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

/** The steps of a form. Complete steps and the first incomplete one can be opened. */
export const StepList = <Step extends string>({
  steps,
  titles,
  step,
  open,
  onChoose,
}: {
  steps: readonly Step[]
  titles: Readonly<Record<Step, string>>
  /** The current step. */
  step: Step
  /** The first incomplete step; undefined if all are complete. */
  open: Step | undefined
  onChoose: (step: Step) => void
}) => {
  const reached = open === undefined ? steps.length : steps.indexOf(open) + 1
  return (
    <nav aria-label="Steps" className="max-sm:overflow-x-auto">
      <ol className="flex gap-1 lg:flex-col">
        {steps.map((each, at) => {
          const done = at < steps.indexOf(step)
          return (
            <li key={each} ref={each === step ? intoView : undefined}>
              <button
                type="button"
                disabled={at >= reached && each !== step}
                aria-current={each === step ? 'step' : undefined}
                onClick={() => onChoose(each)}
                className={cn(
                  'flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm whitespace-nowrap disabled:text-ink-3',
                  each === step ? 'bg-active font-medium' : 'text-ink-2 hover:not-disabled:bg-hover',
                )}
              >
                <span
                  aria-hidden
                  className={cn(
                    'grid size-5 shrink-0 place-items-center rounded-full border border-line-strong text-2xs',
                    done && 'border-success bg-success text-white',
                  )}
                >
                  {done ? <Check className="size-3" /> : at + 1}
                </span>
                {titles[each]}
              </button>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
