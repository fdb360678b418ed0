/** Whether the events of a sync go to the destinations that are connected to their source. */
export const ToDestinations = ({
  checked,
  disabled = false,
  onChange,
}: {
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
}) => (
  <label className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-sm">
    <input
      type="checkbox"
      className="mt-0.5 size-4 accent-accent"
      checked={checked}
      disabled={disabled}
      onChange={({ target }) => onChange(target.checked)}
    />
    <span>Send to connected destinations</span>
    <span className="col-start-2 text-ink-2">
      Off, the events are stored and update profiles, and no destination of the source gets them.
    </span>
  </label>
)
