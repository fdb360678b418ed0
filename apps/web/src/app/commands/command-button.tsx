import { Search } from 'lucide-react'
import { openCommand } from '../../lib/keyboard/command.ts'
import { paletteKeys } from '../../lib/keyboard/key-presses.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { Hint, sidebarRow } from '../frame/sidebar-row.tsx'

const keys = paletteKeys(navigator.platform)
const open = (): void => openCommand('palette')

/**
 * Opens the command palette, as a row of the sidebar. If the sidebar is an overlay, the bar above the page has the
 * button instead.
 */
export const CommandButton = ({ narrow }: { narrow: boolean }) => (
  <Hint text={`Search · ${keys}`} when={narrow}>
    <button
      type="button"
      aria-label="Search or run a command"
      aria-haspopup="dialog"
      onClick={open}
      className={cn(
        sidebarRow,
        'border border-line bg-surface shadow-card max-md:hidden',
        narrow && 'justify-center px-0',
      )}
    >
      <Search aria-hidden className="size-4 shrink-0" />
      {!narrow && (
        <>
          <span className="flex-1 text-left">Search</span>
          <span aria-hidden>
            <Kbd>{keys}</Kbd>
          </span>
        </>
      )}
    </button>
  </Hint>
)

/** Opens the command palette, as a button of the bar above a narrow screen. */
export const CommandIcon = () => (
  <Button variant="none" square aria-label="Search or run a command" aria-haspopup="dialog" onClick={open}>
    <Search aria-hidden />
  </Button>
)
