import { addOutcomes, type Connection, type ConnectionActivity, type DeliveryOutcomes } from '@tributary/contract'

/** A source or destination as the map shows it. */
export type MapEnd = {
  name: string
  title: string
  icon: string
  appTitle: string
  /** The text that says that the source or destination is off; absent if it is on. */
  off?: string
}

/** A connection between two places of the map, with its outcomes. */
export type MapLine = {
  connection: Connection
  /** Positions of the two ends in their columns, starting with 0. */
  from: number
  to: number
  outcomes: DeliveryOutcomes
  /** Whether `outcomes` are loaded. Until then, they are 0. */
  counted: boolean
}

export type MapLayout = {
  sources: MapEnd[]
  destinations: MapEnd[]
  lines: MapLine[]
  /** Ends without a connection that are not on the map, by title. */
  unconnected: { sources: MapEnd[]; destinations: MapEnd[] }
}

/**
 * Maximum unconnected ends per side on the map. If there are more, it shows none, so that connected ones stay in view.
 */
export const maxUnconnected = 5

/** Height of an end and of the space below it, px. */
export const endHeight = 60
export const endGap = 12

/** The vertical center of the end at a position, in px from the top. */
export const middleOf = (place: number): number => place * (endHeight + endGap) + endHeight / 2

const byTitle = (one: MapEnd, other: MapEnd): number =>
  one.title.localeCompare(other.title, undefined, { numeric: true })

/** Sorts ends: first those in `wanted`, by their number there, then all others by title. */
const ordered = (ends: readonly MapEnd[], wanted: ReadonlyMap<string, number>): MapEnd[] =>
  ends.toSorted((one, other) => {
    const first = wanted.get(one.name) ?? Number.POSITIVE_INFINITY
    const second = wanted.get(other.name) ?? Number.POSITIVE_INFINITY
    return first === second ? byTitle(one, other) : first - second
  })

/** Splits the ends on one side into those that the map shows and those that are listed beside it. */
const apart = (ends: readonly MapEnd[], kept: ReadonlySet<string>): { placed: MapEnd[]; left: MapEnd[] } => {
  const loose = ends.filter(({ name }) => !kept.has(name))
  return loose.length <= maxUnconnected
    ? { placed: [...ends], left: [] }
    : { placed: ends.filter(({ name }) => kept.has(name)), left: loose.toSorted(byTitle) }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * The layout of a workspace's map: connected sources by title, and each destination near its sources, so that few lines
 * cross. Unconnected ends come last, or beside the map when there are many. A search keeps the ends with matching
 * titles and their partners.
 */
export const layOut = (
  input: {
    sources: readonly MapEnd[]
    destinations: readonly MapEnd[]
    connections: readonly Connection[]
    /** Absent while they are loading. */
    activities: readonly ConnectionActivity[] | undefined
  },
  search: string,
): MapLayout => {
  const wanted = search.trim().toLowerCase()
  const matches = (title: string): boolean => title.toLowerCase().includes(wanted)
  const sourceOf = new Map(input.sources.map((end) => [end.name, end]))
  const destinationOf = new Map(input.destinations.map((end) => [end.name, end]))
  const connections = input.connections.filter(({ source, destination }) => {
    const from = sourceOf.get(source)
    const to = destinationOf.get(destination)
    return from !== undefined && to !== undefined && (matches(from.title) || matches(to.title))
  })
  const kept = new Set(connections.flatMap(({ source, destination }) => [source, destination]))
  const shown = (ends: readonly MapEnd[]): MapEnd[] => ends.filter((end) => kept.has(end.name) || matches(end.title))
  const connected = input.sources.filter(({ name }) => kept.has(name)).toSorted(byTitle)
  const sides = { sources: apart(shown(input.sources), kept), destinations: apart(shown(input.destinations), kept) }
  const sources = ordered(sides.sources.placed, new Map(connected.map(({ name }, place) => [name, place])))
  const placeOf = new Map(sources.map(({ name }, place) => [name, place]))
  const feeders = Map.groupBy(connections, ({ destination }) => destination)
  const near = new Map(
    [...feeders].map(([name, own]) => [name, mean(own.map(({ source }) => placeOf.get(source) ?? 0))]),
  )
  const destinations = ordered(sides.destinations.placed, near)
  const rowOf = new Map(destinations.map(({ name }, place) => [name, place]))
  const activityOf = new Map(input.activities?.map((each) => [`${each.source} ${each.destination}`, each]))
  return {
    sources,
    destinations,
    unconnected: { sources: sides.sources.left, destinations: sides.destinations.left },
    lines: connections.map((connection) => {
      const activity = activityOf.get(`${connection.source} ${connection.destination}`)
      return {
        connection,
        from: placeOf.get(connection.source) ?? 0,
        to: rowOf.get(connection.destination) ?? 0,
        outcomes: activity ?? addOutcomes([]),
        counted: input.activities !== undefined,
      }
    }),
  }
}

/** A line from the left edge (x 0) to the right one (x 100) as an SVG path. */
export const pathOf = ({ from, to }: Pick<MapLine, 'from' | 'to'>): string => {
  const [start, end] = [middleOf(from), middleOf(to)]
  return `M 0 ${start} C 50 ${start} 50 ${end} 100 ${end}`
}

/** The point of a line at `t` (0 to 1): x in percent, y in px. */
export const pointOf = ({ from, to }: Pick<MapLine, 'from' | 'to'>, t: number): { x: number; y: number } => {
  const rest = 1 - t
  const [start, end] = [middleOf(from), middleOf(to)]
  return {
    x: 100 * (1.5 * rest * rest * t + 1.5 * rest * t * t + t * t * t),
    y: start * (rest ** 3 + 3 * rest * rest * t) + end * (t ** 3 + 3 * t * t * rest),
  }
}

/** Minimum space between the columns, in px: labels that do not overlap at this width do not overlap on any page. */
const narrowest = 180
const labelHeight = 24
/** Space between two labels, px. */
const labelGap = 2
/** Possible positions of a label along its line, the preferred one first. */
const spots = [0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74, 0.2, 0.8]

type Label = { x: number; y: number; width: number }

/** Returns the distance in px between a label and the nearest other label; negative if they overlap. */
const roomOf = (label: Label, others: readonly Label[]): number =>
  others.reduce((room, other) => {
    const below = Math.abs(label.y - other.y) - labelHeight
    const beside = (Math.abs(label.x - other.x) * narrowest) / 100 - (label.width + other.width) / 2
    return Math.min(room, Math.max(below, beside))
  }, Number.POSITIVE_INFINITY)

const placeLabel = (line: Pick<MapLine, 'from' | 'to'>, width: number, others: readonly Label[]): Label => {
  let best: Label = { ...pointOf(line, 0.5), width }
  let most = Number.NEGATIVE_INFINITY
  for (const spot of spots) {
    const label = { ...pointOf(line, spot), width }
    const room = roomOf(label, others)
    if (room <= most) continue
    best = label
    most = room
    if (room >= labelGap) break
  }
  return best
}

/**
 * The position of each label on its line, given the widths of the labels in px: x in percent, y in px. Labels do not
 * overlap if a free position exists; otherwise a label takes the position with the least overlap.
 */
export const placeLabels = (
  lines: readonly (Pick<MapLine, 'from' | 'to'> & { width: number })[],
): { x: number; y: number }[] => {
  const placed = new Map<(typeof lines)[number], Label>()
  // Flat lines get their labels first, because these labels cannot move up or down.
  const steepness = ({ from, to }: Pick<MapLine, 'from' | 'to'>): number => Math.abs(from - to)
  for (const line of lines.toSorted((one, other) => steepness(one) - steepness(other)))
    placed.set(line, placeLabel(line, line.width, [...placed.values()]))
  return lines.map((line) => placed.get(line) ?? pointOf(line, 0.5))
}
