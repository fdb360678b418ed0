import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { closeCommand, openCommand, typeCommand, useCommand } from '../../lib/keyboard/command.ts'
import { actsAt, createShortcutReader, isApple, placeOf } from '../../lib/keyboard/key-presses.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { focusFirstRow } from '../../ui/lists/row-keys.ts'
import { lazyDialog } from '../../ui/overlays/lazy-dialog.tsx'
import { type Area, useAreas } from '../areas.ts'

const loadPalette = async () => (await import('./command-palette.tsx')).CommandPalette
const CommandPalette = lazyDialog('Could not open the command palette', loadPalette)
const ShortcutList = lazyDialog(
  'Could not open the keyboard shortcuts',
  async () => (await import('./shortcut-list.tsx')).ShortcutList,
)

/** Focuses the search box of the page, or that of the command palette if the page has none. */
const focusSearch = (): void => {
  const boxes = [...document.querySelectorAll<HTMLInputElement>('main input[type="search"]')]
  const box = boxes.find((each) => each.getClientRects().length > 0 && !each.disabled)
  if (box === undefined) return openCommand('palette')
  box.focus()
  box.select()
}

/** Whether a key moves the focus from a page's search box down into its list. */
const leavesSearch = ({ key, target, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean =>
  key === 'ArrowDown' &&
  !(altKey || ctrlKey || metaKey || shiftKey) &&
  target instanceof HTMLInputElement &&
  target.matches('main input[type="search"]')

/**
 * Buffers keys that are typed before the palette appears, because its code or its focus may arrive after the first
 * letters. Returns true if it handled the key.
 */
const typesAhead = ({ key, target, altKey, ctrlKey, metaKey, isComposing }: KeyboardEvent): boolean => {
  const { open, text } = useCommand.getState()
  if (open !== 'palette' || altKey || ctrlKey || metaKey || isComposing || key.length !== 1) return false
  const dialog = target instanceof Element ? target.closest('[role="dialog"]') : null
  if (dialog !== null && dialog !== target) return false
  typeCommand(text + key)
  return true
}

/** Listens for shortcuts while a page of a workspace is shown. */
const useShortcuts = (areas: readonly Area[]): void => {
  const navigate = useNavigate()
  const [read] = useState(() => createShortcutReader(isApple(navigator.platform)))
  useEffect(() => {
    const listen = (press: KeyboardEvent): void => {
      if (press.defaultPrevented) return
      // Loads the palette early, so that it receives keys typed right after the shortcut.
      if (press.key === 'Control' || press.key === 'Meta') void loadPalette().catch(() => undefined)
      if (typesAhead(press)) return press.preventDefault()
      if (leavesSearch(press) && focusFirstRow(document)) return press.preventDefault()
      const place = placeOf(press.target, document)
      const shortcut = read(press, press.timeStamp)
      if (shortcut === undefined || !actsAt(shortcut, place)) return
      press.preventDefault()
      if (shortcut.type === 'palette') return openCommand('palette')
      if (shortcut.type === 'list') return openCommand('shortcuts')
      if (shortcut.type === 'search') return focusSearch()
      const area = areas.find(({ letter }) => letter === shortcut.letter)
      if (area !== undefined) void navigate(area.to)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [areas, navigate, read])
}

/**
 * The keyboard navigation of a workspace: shortcuts, the command palette and the list of shortcuts. Loaded on first
 * use.
 */
export const Commands = () => {
  const workspace = useWorkspace()
  const areas = useAreas(workspace.name)
  useShortcuts(areas)
  const open = useCommand((state) => state.open)
  useEffect(() => closeCommand, [])
  return (
    <>
      <CommandPalette open={open === 'palette'} onClose={closeCommand} workspace={workspace} areas={areas} />
      <ShortcutList open={open === 'shortcuts'} onClose={closeCommand} areas={areas} />
    </>
  )
}
