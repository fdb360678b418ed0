import { paletteKeys } from '../../lib/keyboard/key-presses.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import type { Area } from '../areas.ts'

type Line = { keys: readonly string[]; what: string }

const general = (platform: string): Line[] => [
  { keys: [paletteKeys(platform)], what: 'Search or run a command' },
  { keys: ['/'], what: 'Search this page' },
  { keys: ['?'], what: 'Show this list' },
  { keys: ['Esc'], what: 'Close' },
]

const inLists: readonly Line[] = [
  { keys: ['↓'], what: 'From search to the first row' },
  { keys: ['↑', '↓'], what: 'Previous or next row' },
  { keys: ['Home', 'End'], what: 'First or last row' },
  { keys: ['Enter'], what: 'Open the row' },
]

const Section = ({ title, lines }: { title: string; lines: readonly Line[] }) => (
  <section aria-label={title}>
    <h3 className="pb-1 text-xs font-medium text-ink-3">{title}</h3>
    <dl className="divide-y divide-line">
      {lines.map(({ keys, what }) => (
        <div key={what} className="flex min-h-9 items-center gap-3 text-sm">
          <dt className="flex-1">{what}</dt>
          <dd className="flex gap-1">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </section>
)

/** All shortcuts of the keyboard. */
export const ShortcutList = ({
  open,
  onClose,
  areas,
}: {
  open: boolean
  onClose: () => void
  areas: readonly Area[]
}) => (
  <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" size="md">
    <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
      <div className="space-y-5">
        <Section title="Anywhere" lines={general(navigator.platform)} />
        <Section title="In lists" lines={inLists} />
      </div>
      <Section
        title="Go to"
        lines={areas.map(({ label, letter }) => ({ keys: ['G', letter.toUpperCase()], what: label }))}
      />
    </div>
  </Dialog>
)
