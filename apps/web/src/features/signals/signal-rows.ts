import { conversionTitle, type SignalPlatform, type SignalSummary } from '@tributary/contract'

/** What the list is narrowed by; '' is no filter. */
export type SignalFilters = { search: string; state: string; platform: string }

type Row = Pick<SignalSummary, 'title' | 'state' | 'conversion' | 'trigger'> & {
  platforms: readonly { platform: SignalPlatform; title: string }[]
}

/** Signals in whose title, conversion, sources or events the text stands, of the state and the platform that are asked for. */
export const signalRows = <Each extends Row>(
  signals: readonly Each[],
  { search, state, platform }: SignalFilters,
): Each[] => {
  const wanted = search.trim().toLowerCase()
  return signals.filter((signal) => {
    const { title, conversion, trigger, platforms } = signal
    const texts = [
      title,
      conversionTitle(conversion),
      ...trigger.event_names,
      ...trigger.sources.map((each) => each.title),
    ]
    return (
      texts.some((text) => text.toLowerCase().includes(wanted)) &&
      (state === '' || signal.state === state) &&
      (platform === '' || platforms.some((each) => each.platform === platform))
    )
  })
}
