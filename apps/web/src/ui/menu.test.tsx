// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../testing/render.tsx'
import { Button } from './button.tsx'
import { Menu, MenuItem, MenuSeparator } from './menu.tsx'
import { tooltipDefaults } from './tooltip.tsx'

test('UI-15, UI-16: a menu has separators, and a disabled item does nothing', async () => {
  const onOpen = vi.fn()
  const onDelete = vi.fn()
  renderUi(
    <Menu trigger={<Button>Actions</Button>}>
      <MenuItem onSelect={onOpen}>Open</MenuItem>
      <MenuSeparator />
      <MenuItem disabled tooltip="Only administrators" onSelect={onDelete}>
        Delete
      </MenuItem>
    </Menu>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Actions' }))
  expect(await screen.findByRole('separator')).toBeTruthy()
  const disabled = screen.getByRole('menuitem', { name: 'Delete' })
  expect(disabled.getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(disabled)
  expect(onDelete).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('menuitem', { name: 'Open' }))
  expect(onOpen).toHaveBeenCalledOnce()
})

test('UI-19, UI-20, UI-21, UI-23: the distances and times of tooltips', () => {
  expect(tooltipDefaults).toEqual({
    offset: 10,
    hideAnimation: 150,
    toggleDelay: 10,
    clickableHideDelay: 100,
  })
})
