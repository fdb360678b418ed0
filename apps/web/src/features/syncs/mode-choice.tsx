import { type SyncMode, syncModes } from '@tributary/contract'
import { cn } from '../../ui/cn.ts'
import { eventModeSentences, modeOrder, modeSentences } from './sync-words.ts'

/** A choice of the modes of an object, each with its effect. */
export const ModeChoice = ({
  modes,
  value,
  ofEvents = false,
  disabled = false,
  ofFull,
  onChange,
}: {
  modes: readonly SyncMode[]
  value: SyncMode | undefined
  /** Whether rows become events. */
  ofEvents?: boolean
  disabled?: boolean
  /** Further options of the mode Full, shown while it is selected. */
  ofFull?: React.ReactNode
  onChange: (mode: SyncMode) => void
}) => (
  <fieldset className="space-y-2" disabled={disabled}>
    <legend className="sr-only">Mode</legend>
    {modeOrder
      .filter((mode) => modes.includes(mode))
      .map((mode) => (
        <div
          key={mode}
          className={cn('rounded-lg border bg-surface', value === mode ? 'border-accent' : 'border-line')}
        >
          <label className="grid cursor-pointer grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-4 py-3 text-sm has-disabled:cursor-default">
            <input
              type="radio"
              name="mode"
              className="mt-0.5 size-4 accent-accent"
              checked={value === mode}
              onChange={() => onChange(mode)}
            />
            <span className="font-medium">{syncModes[mode].title}</span>
            <span className="col-start-2 text-ink-2">{(ofEvents ? eventModeSentences : modeSentences)[mode]}</span>
          </label>
          {mode === 'FULL_SYNC' && value === mode && Boolean(ofFull) && <div className="px-4 pb-3 pl-11">{ofFull}</div>}
        </div>
      ))}
  </fieldset>
)
