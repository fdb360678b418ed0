import { presetOf, type RangePreset, rangePresets, viewOf } from '../../lib/format/date-range.ts'
import { useRange } from '../../ui/charts/range-select.tsx'
import { Select } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'

/** The ranges that are counted by day, because conversions are. */
const daily = rangePresets.filter((preset) => viewOf(preset).granularity === 'day')

/** The range of days in the URL of the page, and a control that changes it. */
export const useDays = (): [RangePreset, React.ReactNode] => {
  const [range, choose] = useRange()
  const preset = daily.includes(range) ? range : presetOf(null)
  return [
    preset,
    <Select
      key="range"
      aria-label="Date range"
      className="w-36 max-sm:w-40"
      value={preset}
      onChange={({ target }) => choose(presetOf(target.value))}
    >
      <Options of={daily} title={(each) => viewOf(each).title} />
    </Select>,
  ]
}
