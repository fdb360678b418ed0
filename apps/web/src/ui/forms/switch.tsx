import { Switch as Base } from '@base-ui/react/switch'

/** A switch that applies immediately. `label` names it for screen readers; a visible text is beside it. */
export const Switch = ({
  checked,
  onChange,
  label,
  disabled = false,
  id,
}: {
  checked: boolean
  onChange: (checked: boolean) => void
  label: string
  disabled?: boolean
  id?: string
}) => (
  <Base.Root
    {...(id === undefined ? {} : { id })}
    checked={checked}
    onCheckedChange={onChange}
    disabled={disabled}
    aria-label={label}
    className="inline-flex h-5 w-9 shrink-0 items-center rounded-full bg-ink-3 p-0.5 transition-colors data-checked:bg-success data-disabled:cursor-not-allowed data-disabled:opacity-55"
  >
    <Base.Thumb className="size-4 rounded-full bg-white shadow-card transition-transform data-checked:translate-x-4" />
  </Base.Root>
)
