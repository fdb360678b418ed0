// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { Button } from '../button.tsx'
import { Menu, MenuGroup, MenuItem, MenuSeparator } from './menu.tsx'
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

test('UI-19, UI-20, UI-21, UI-23: tooltips have their distances and delays', () => {
  expect(tooltipDefaults).toEqual({
    offset: 10,
    hideAnimation: 150,
    toggleDelay: 10,
    clickableHideDelay: 100,
    hoverThrottle: 50,
  })
})

test('a menu with a search is filtered by typing, shows a text if it is empty, and Enter chooses the first entry', async () => {
  const chosen = vi.fn()
  renderUi(
    <Menu
      trigger={<Button>Workspaces</Button>}
      search={{ label: 'Find a workspace', empty: 'No workspace matches' }}
      footer={<MenuItem onSelect={() => chosen('all')}>Change workspace</MenuItem>}
    >
      <MenuGroup heading="Acme">
        {['Production', 'Staging'].map((title) => (
          <MenuItem key={title} onSelect={() => chosen(title)}>
            {title}
          </MenuItem>
        ))}
      </MenuGroup>
    </Menu>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Workspaces' }))
  const box = await screen.findByRole('searchbox', { name: 'Find a workspace' })
  const shown = () => screen.getAllByRole('menuitem').map(({ textContent }) => textContent)
  expect(shown()).toEqual(['Production', 'Staging', 'Change workspace'])
  expect(screen.getByRole('group', { name: 'Acme' })).toBeTruthy()
  await userEvent.type(box, 'zzz')
  expect(await screen.findByText('No workspace matches')).toBeTruthy()
  expect(screen.queryAllByRole('menuitem')).toEqual([])
  await userEvent.clear(box)
  await userEvent.type(box, 'stag')
  await vi.waitFor(() => expect(shown()).toEqual(['Staging']))
  await userEvent.keyboard('{Enter}')
  expect(chosen).toHaveBeenCalledExactlyOnceWith('Staging')
})
