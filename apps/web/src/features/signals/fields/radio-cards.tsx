import type { ReactNode } from 'react'
import { cn } from '../../../ui/cn.ts'

/** A choice between a few options, each with its meaning; `children` are further fields of the selected one. */
export const RadioCards = <Value extends string>({
  legend,
  options,
  value,
  disabled,
  onChange,
}: {
  legend: string
  options: readonly { value: Value; title: string; text: string; children?: ReactNode }[]
  value: Value
  disabled: boolean
  onChange: (value: Value) => void
}) => (
  <fieldset className="min-w-0 space-y-2" disabled={disabled}>
    <legend className="sr-only">{legend}</legend>
    {options.map((option) => {
      const chosen = option.value === value
      return (
        <div
          key={option.value}
          className={cn('rounded-lg border bg-surface', chosen ? 'border-accent' : 'border-line')}
        >
          <label className="grid cursor-pointer grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-4 py-3 text-sm has-disabled:cursor-default">
            <input
              type="radio"
              name={legend}
              className="mt-0.5 size-4 accent-accent"
              checked={chosen}
              onChange={() => onChange(option.value)}
            />
            <span className="font-medium">{option.title}</span>
            <span className="col-start-2 text-ink-2">{option.text}</span>
          </label>
          {chosen && option.children !== undefined && (
            <div className="space-y-4 px-4 pb-4 sm:pl-11">{option.children}</div>
          )}
        </div>
      )
    })}
  </fieldset>
)
