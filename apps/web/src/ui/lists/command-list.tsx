import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { Kbd } from '../kbd.tsx'
import { Spinner } from '../page/spinner.tsx'

/** One entry of a command list. */
export type CommandEntry = {
  id: string
  label: string
  icon: ReactNode
  /** A short description beside the label. */
  detail?: string
  /** The keys that run the entry without the list, one after the other. */
  keys?: readonly string[]
  act: () => void
}

/** Entries under a heading. */
export type CommandGroup = { heading: string; items: readonly CommandEntry[] }

const Row = ({ entry, onAct }: { entry: CommandEntry; onAct: (entry: CommandEntry) => void }) => (
  <Autocomplete.Item
    value={entry}
    onClick={() => onAct(entry)}
    // In a combobox, the highlighted option must also have `aria-selected`.
    render={(props, { highlighted }) => <div {...props} aria-selected={highlighted} />}
    className="flex min-h-9 cursor-default scroll-my-1 items-center gap-3 rounded-md px-2.5 py-1.5 text-sm outline-none select-none data-highlighted:bg-active max-sm:min-h-11"
  >
    <span aria-hidden className="grid size-5 shrink-0 place-items-center text-ink-3 [&_svg]:size-4">
      {entry.icon}
    </span>
    <span className="min-w-0 flex-1 truncate" title={entry.label}>
      {entry.label}
    </span>
    {entry.detail !== undefined && entry.detail !== '' && (
      <span className="max-w-2/5 shrink-0 truncate text-xs text-ink-3">{entry.detail}</span>
    )}
    {entry.keys !== undefined && (
      <span aria-hidden className="flex shrink-0 gap-1 max-sm:hidden">
        {entry.keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    )}
  </Autocomplete.Item>
)

const SearchBox = ({ busy }: { busy: boolean }) => (
  <div className="flex items-center gap-3 border-b border-line px-4">
    <Search aria-hidden className="size-4 shrink-0 text-ink-3" />
    <Autocomplete.Input
      aria-label="Search or run a command"
      placeholder="Search or run a command"
      className="h-12 min-w-0 flex-1 bg-transparent text-base text-ink outline-none placeholder:text-ink-3 max-sm:text-lg"
    />
    {busy && <Spinner size="sm" />}
    <Dialog.Close className="rounded-sm px-1 text-xs text-ink-3 hover:text-ink sm:sr-only">Close</Dialog.Close>
  </div>
)

const Foot = () => (
  <footer
    aria-hidden
    className="flex items-center gap-4 border-t border-line px-4 py-2 text-xs text-ink-3 max-sm:hidden"
  >
    <span className="flex items-center gap-1.5">
      <Kbd>↑</Kbd>
      <Kbd>↓</Kbd>
      to move
    </span>
    <span className="flex items-center gap-1.5">
      <Kbd>Enter</Kbd>
      to open
    </span>
    <span className="flex items-center gap-1.5">
      <Kbd>Esc</Kbd>
      to close
    </span>
  </footer>
)

/**
 * A window with a search box above a list of pages and actions. The arrow keys move the selection while the user types,
 * and Enter runs the selected entry. The caller filters: `groups` are shown unchanged.
 */
export const CommandList = ({
  open,
  onClose,
  text,
  onText,
  groups,
  busy,
  empty,
}: {
  open: boolean
  onClose: () => void
  text: string
  onText: (text: string) => void
  groups: readonly CommandGroup[]
  /** Whether more results can still arrive for the text. */
  busy: boolean
  /** The text that replaces an empty list. */
  empty: string
}) => {
  const found = groups.reduce((sum, group) => sum + group.items.length, 0)
  const act = (entry: CommandEntry): void => {
    onClose()
    entry.act()
  }
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose()
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-overlay transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Viewport className="fixed inset-0 z-40 flex items-start justify-center overflow-hidden p-4 pt-[12dvh] max-sm:p-2">
          <Dialog.Popup
            aria-label="Command palette"
            className="flex max-h-[min(32rem,76dvh)] w-full max-w-xl min-w-0 flex-col overflow-hidden rounded-xl bg-raised shadow-dialog transition duration-100 outline-none data-ending-style:opacity-0 data-starting-style:opacity-0 max-sm:max-h-[calc(100dvh-1rem)]"
          >
            <Autocomplete.Root
              open
              inline
              items={groups}
              filter={null}
              itemToStringValue={(entry: CommandEntry) => entry.label}
              value={text}
              onValueChange={(next, { reason }) => {
                // A chosen entry would put its label into the search box, which is closing.
                if (reason !== 'item-press') onText(next)
              }}
              autoHighlight="always"
              keepHighlight
            >
              <SearchBox busy={busy} />
              <Autocomplete.Empty className="px-4 py-10 text-center text-sm text-ink-3 empty:hidden">
                {busy ? 'Searching…' : empty}
              </Autocomplete.Empty>
              <Autocomplete.List className="min-h-0 flex-1 overflow-y-auto overscroll-contain scroll-thin p-1.5 empty:hidden">
                {(group: CommandGroup) => (
                  <Autocomplete.Group key={group.heading} items={group.items} className="not-first:mt-1.5">
                    <Autocomplete.GroupLabel className="px-2.5 pt-1.5 pb-1 text-xs font-medium text-ink-3">
                      {group.heading}
                    </Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(entry: CommandEntry) => <Row key={entry.id} entry={entry} onAct={act} />}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
              <Autocomplete.Status className="sr-only">
                {busy ? 'Searching' : found === 1 ? '1 result' : `${found} results`}
              </Autocomplete.Status>
              <Foot />
            </Autocomplete.Root>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
