/** Whether a sync that mirrors removes what it has not written, too. `object` names what it would own, such as `Table orders`. */
export const OwnObject = ({
  object,
  checked,
  disabled = false,
  onChange,
}: {
  object: string
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
    <span className="break-words">This sync owns {object}</span>
    <span className="col-start-2 text-ink-2">
      Each run lists what is there and removes rows that are not in the model, even rows that this sync did not send.
    </span>
  </label>
)
