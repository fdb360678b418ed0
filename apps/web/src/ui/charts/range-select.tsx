import { useCallback } from 'react'
import { useSearchParams } from 'react-router'
import { defaultPreset, presetOf, type RangePreset, rangePresets, viewOf } from '../../lib/format/date-range.ts'
import { Select } from '../forms/input.tsx'
import { Options } from '../forms/options.tsx'

/**
 * Returns the range in the URL of the page, and a function that changes it. The default range is not written to the
 * URL.
 */
export const useRange = (): [RangePreset, (preset: RangePreset) => void] => {
  const [search, setSearch] = useSearchParams()
  const choose = useCallback(
    (preset: RangePreset): void =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          if (preset === defaultPreset) next.delete('range')
          else next.set('range', preset)
          return next
        },
        { replace: true, preventScrollReset: true },
      ),
    [setSearch],
  )
  return [presetOf(search.get('range')), choose]
}

/** A select box for the time range of the charts and counts of a page. */
export const RangeSelect = ({ value, onChange }: { value: RangePreset; onChange: (preset: RangePreset) => void }) => (
  <Select
    aria-label="Date range"
    className="w-36 max-sm:w-40"
    value={value}
    onChange={(event) => onChange(presetOf(event.target.value))}
  >
    <Options of={rangePresets} title={(preset) => viewOf(preset).title} />
  </Select>
)
