import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { type RangePreset, viewOf } from '../../lib/format/date-range.ts'
import { count, shortCount } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { Badge } from '../../ui/badge.tsx'
import { cn } from '../../ui/cn.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { endGap, endHeight, type MapEnd, type MapLayout, type MapLine, pathOf, placeLabels } from './map-layout.ts'

/** Returns the accessible name of a line: its ends, its state and its outcomes. */
const nameOf = (
  { connection: { enabled, extra }, outcomes: { delivered, failed }, counted }: MapLine,
  range: RangePreset,
): string => {
  const ends = `Connection from ${extra.source.title} to ${extra.destination.title}`
  const off = enabled ? [] : ['off']
  const counts = `${count(delivered)} delivered and ${count(failed)} failed in the ${viewOf(range).title.toLowerCase()}`
  const words = [...off, ...(counted ? [counts] : [])].join(', ')
  return words === '' ? ends : `${ends}: ${words}`
}

/** Whether the connection delivers no events at the moment. */
const isOff = ({ connection: { enabled, extra } }: MapLine): boolean =>
  !enabled || !extra.source.enabled || !extra.destination.enabled

const End = ({
  end,
  to,
  dimmed,
  onHover,
  connectLabel,
  onConnect,
}: {
  end: MapEnd
  to: string
  dimmed: boolean
  onHover: (name: string | undefined) => void
  connectLabel: string
  onConnect: (() => void) | undefined
}) => (
  <li
    style={{ height: endHeight }}
    onPointerEnter={() => onHover(end.name)}
    onPointerLeave={() => onHover(undefined)}
    className={cn(
      'flex items-center gap-3 rounded-lg border border-line bg-surface px-3 shadow-card transition-opacity',
      dimmed && 'opacity-50',
    )}
  >
    <AppIcon icon={end.icon} />
    <span className="min-w-0 flex-1">
      <Link to={to} className="block truncate rounded-sm font-medium hover:underline" title={end.title}>
        {end.title}
      </Link>
      <span className="flex items-center gap-2">
        <span className="truncate text-xs text-ink-3">{end.appTitle}</span>
        {end.off !== undefined && <Badge tone="outline">{end.off}</Badge>}
      </span>
    </span>
    {onConnect !== undefined && (
      <IconButton size="sm" label={connectLabel} icon={Plus} title={connectLabel} onClick={onConnect} />
    )}
  </li>
)

/** The sources or the destinations on one side of the map. */
const Ends = ({
  side,
  ends,
  dimmed,
  onHover,
  onConnect,
}: {
  side: 'source' | 'destination'
  ends: readonly MapEnd[]
  dimmed: (name: string) => boolean
  onHover: (name: string | undefined) => void
  onConnect: ((end: { source?: string; destination?: string }) => void) | undefined
}) => (
  <ul aria-label={side === 'source' ? 'Sources' : 'Destinations'} className="space-y-3">
    {ends.map((end) => (
      <End
        key={end.name}
        end={end}
        to={paths[side](end.name)}
        dimmed={dimmed(end.name)}
        onHover={onHover}
        connectLabel={`Connect ${end.title} to a ${side === 'source' ? 'destination' : 'source'}`}
        onConnect={onConnect === undefined ? undefined : () => onConnect({ [side]: end.name })}
      />
    ))}
  </ul>
)

const failedWords = (failed: number): string => (failed > 0 ? `· ${shortCount(failed)} failed` : '')

const Counts = ({ line: { outcomes, counted } }: { line: MapLine }) => (
  <>
    <span>{counted ? shortCount(outcomes.delivered) : '…'}</span>
    {outcomes.failed > 0 && <span className="text-danger-ink">{failedWords(outcomes.failed)}</span>}
  </>
)

/** Estimates the width of the label of a line in px, rather too wide than too narrow. */
const labelWidth = ({ connection: { enabled, filter }, outcomes: { delivered, failed } }: MapLine): number => {
  const text = enabled ? `${shortCount(delivered)} ${failedWords(failed)}` : 'Off'
  return 18 + 6.5 * (text.length + (filter.conditions.length > 0 ? '· filtered '.length : 0))
}

/** The curve of a connection, with a wider invisible one for the pointer. */
const Curve = ({
  line,
  touched,
  hovering,
  onOpen,
  onHover,
}: {
  line: MapLine
  touched: boolean
  /** Whether the pointer is over any part of the map. */
  hovering: boolean
  onOpen: () => void
  onHover: (name: string | undefined) => void
}) => (
  <g
    className="cursor-pointer"
    onClick={onOpen}
    onPointerEnter={() => onHover(line.connection.name)}
    onPointerLeave={() => onHover(undefined)}
  >
    <path d={pathOf(line)} fill="none" stroke="transparent" strokeWidth={14} vectorEffect="non-scaling-stroke" />
    <path
      d={pathOf(line)}
      fill="none"
      vectorEffect="non-scaling-stroke"
      strokeWidth={hovering && touched ? 2.5 : 1.5}
      strokeDasharray={isOff(line) ? '5 5' : undefined}
      className={cn(
        'transition-opacity',
        isOff(line) ? 'stroke-ink-3' : line.outcomes.failed > 0 ? 'stroke-danger' : 'stroke-accent',
        !touched && 'opacity-20',
      )}
    />
  </g>
)

/** The label on a line, which opens its connection. */
const LineLabel = ({
  line,
  name,
  touched,
  onOpen,
  onHover,
}: {
  line: MapLine
  name: string
  touched: boolean
  onOpen: () => void
  onHover: (name: string | undefined) => void
}) => {
  const { connection } = line
  const hover = (): void => onHover(connection.name)
  const leave = (): void => onHover(undefined)
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      onClick={onOpen}
      onPointerEnter={hover}
      onPointerLeave={leave}
      onFocus={hover}
      onBlur={leave}
      className={cn(
        'flex h-6 items-center gap-1 rounded-full border border-line-strong bg-raised px-2 text-2xs font-medium whitespace-nowrap text-ink-2 tabular shadow-card transition-opacity hover:border-ink-3 hover:text-ink',
        !touched && 'opacity-30',
      )}
    >
      {connection.enabled ? <Counts line={line} /> : 'Off'}
      {connection.filter.conditions.length > 0 && <span className="text-ink-3">· filtered</span>}
    </button>
  )
}

/**
 * Sources on the left, destinations on the right, and a line for each connection; a line or its label opens the
 * connection.
 */
export const ConnectionMap = ({
  layout: { sources, destinations, lines },
  range,
  onOpen,
  onConnect,
}: {
  layout: MapLayout
  /** The time range of the figures. */
  range: RangePreset
  onOpen: (connection: string) => void
  /** Absent for readers. */
  onConnect: ((end: { source?: string; destination?: string }) => void) | undefined
}) => {
  const [hovered, setHovered] = useState<string>()
  const touches = ({ connection }: MapLine): boolean =>
    hovered === undefined || [connection.name, connection.source, connection.destination].includes(hovered)
  const lit = new Set(lines.filter(touches).flatMap(({ connection }) => [connection.source, connection.destination]))
  const rows = Math.max(sources.length, destinations.length)
  const height = rows * (endHeight + endGap) - endGap
  const dimmed = (name: string): boolean => hovered !== undefined && name !== hovered && !lit.has(name)
  const places = useMemo(() => placeLabels(lines.map((line) => ({ ...line, width: labelWidth(line) }))), [lines])
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(8rem,1fr)_minmax(0,1fr)] max-lg:grid-cols-[minmax(0,5fr)_minmax(8rem,4fr)_minmax(0,5fr)] max-md:hidden">
      <h2 className="mb-2 text-xs font-medium text-ink-3">Sources</h2>
      <span />
      <h2 className="mb-2 text-xs font-medium text-ink-3">Destinations</h2>
      <Ends side="source" ends={sources} dimmed={dimmed} onHover={setHovered} onConnect={onConnect} />
      <div className="relative" style={{ height }}>
        <svg
          aria-hidden="true"
          viewBox={`0 0 100 ${height}`}
          preserveAspectRatio="none"
          className="absolute inset-0 size-full"
        >
          {lines.map((line) => (
            <Curve
              key={line.connection.name}
              line={line}
              touched={touches(line)}
              hovering={hovered !== undefined}
              onOpen={() => onOpen(line.connection.name)}
              onHover={setHovered}
            />
          ))}
        </svg>
        <ul aria-label="Connections">
          {lines.map((line, index) => {
            const { x, y } = places[index] ?? { x: 50, y: 0 }
            return (
              <li
                key={line.connection.name}
                className="absolute -translate-1/2"
                style={{ left: `${x}%`, top: y, zIndex: hovered !== undefined && touches(line) ? 2 : 1 }}
              >
                <LineLabel
                  line={line}
                  name={nameOf(line, range)}
                  touched={touches(line)}
                  onOpen={() => onOpen(line.connection.name)}
                  onHover={setHovered}
                />
              </li>
            )
          })}
        </ul>
      </div>
      <Ends side="destination" ends={destinations} dimmed={dimmed} onHover={setHovered} onConnect={onConnect} />
    </div>
  )
}

/** The connections as a list, for narrow pages. */
export const ConnectionRows = ({
  lines,
  range,
  onOpen,
}: {
  lines: readonly MapLine[]
  range: RangePreset
  onOpen: (connection: string) => void
}) => (
  <ul
    aria-label="Connections"
    className="divide-y divide-line overflow-clip rounded-lg border border-line bg-surface shadow-card md:hidden"
  >
    {lines.map((line) => {
      const { extra, enabled, filter, name } = line.connection
      return (
        <li key={name}>
          <button
            type="button"
            aria-label={nameOf(line, range)}
            onClick={() => onOpen(name)}
            className="flex w-full items-center gap-3 px-4 py-3 text-left hover:bg-hover focus-visible:-outline-offset-2"
          >
            <span className="min-w-0 flex-1">
              <span className="flex items-center gap-2">
                <AppIcon icon={extra.source.app_icon} className="size-5 border-0 p-0" />
                <span className="truncate font-medium">{extra.source.title}</span>
              </span>
              <span className="mt-1.5 flex items-center gap-2">
                <AppIcon icon={extra.destination.app_icon} className="size-5 border-0 p-0" />
                <span className="truncate text-ink-2">{extra.destination.title}</span>
              </span>
            </span>
            <span className="flex flex-col items-end gap-1 text-xs text-ink-2 tabular">
              <span className="flex gap-1">{enabled ? <Counts line={line} /> : <Badge tone="outline">Off</Badge>}</span>
              {filter.conditions.length > 0 && <span className="text-ink-3">filtered</span>}
            </span>
          </button>
        </li>
      )
    })}
  </ul>
)
