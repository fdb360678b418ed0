import { useCallback } from 'react'
import { useSearchParams } from 'react-router'
import { defaultPreset, presetOf, type RangePreset, rangePresets, viewOf } from '../../lib/format/date-range.ts'
import { Select } from '../forms/input.tsx'
import { Options } from '../forms/options.tsx'

/** The range that the address of the page names, and what changes it; the default one is not written there. */
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

/** A choice of the range that charts and counts of a page are about. */
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
