// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { Tooltip, TooltipArea, tooltipDefaults } from './tooltip.tsx'

const Rows = () => {
  const [area, setArea] = useState<HTMLElement | null>(null)
  return (
    <div ref={setArea}>
      <TooltipArea area={area}>
        {['one', 'two', 'three', 'four'].map((row) => (
          <Tooltip key={row} text={`About ${row}`}>
            <span>{row}</span>
          </Tooltip>
        ))}
      </TooltipArea>
    </div>
  )
}

afterEach(() => vi.useRealTimers())

test('the tooltip of an area follows a pointer that crosses many rows at most every 50 ms (UI-22)', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  expect(tooltipDefaults.hoverThrottle).toBe(50)
  renderUi(<Rows />)
  const shown = (): (string | null)[] => screen.queryAllByText(/^About /).map(({ textContent }) => textContent)
  for (const row of ['one', 'two', 'three', 'four']) fireEvent.mouseOver(screen.getByText(row))
  expect(shown()).toEqual(['About one'])
  act(() => void vi.advanceTimersByTime(49))
  expect(shown()).toEqual(['About one'])
  act(() => void vi.advanceTimersByTime(1))
  expect(shown()).toEqual(['About four'])
})
