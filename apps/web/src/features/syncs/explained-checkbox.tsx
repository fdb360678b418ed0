import type { ReactNode } from 'react'

export type ExplainedCheckboxProps = {
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
}

/** A checkbox of a sync, with an explanation below its title. */
export const ExplainedCheckbox = ({
  title,
  children,
  checked,
  disabled = false,
  onChange,
}: ExplainedCheckboxProps & { title: string; children: ReactNode }) => (
  <label className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-sm">
    <input
      type="checkbox"
      className="mt-0.5 size-4 accent-accent"
      checked={checked}
      disabled={disabled}
      onChange={({ target }) => onChange(target.checked)}
    />
    <span className="break-words">{title}</span>
    <span className="col-start-2 text-ink-2">{children}</span>
  </label>
)
