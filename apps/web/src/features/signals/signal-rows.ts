import { conversionTitle, type SignalPlatform, type SignalSummary } from '@tributary/contract'

/** The filters of the list; '' is no filter. */
export type SignalFilters = { search: string; state: string; platform: string }

type Row = Pick<SignalSummary, 'title' | 'state' | 'conversion' | 'trigger'> & {
  platforms: readonly { platform: SignalPlatform; title: string }[]
}

/** Signals with the text in title, conversion, sources or events, of the chosen state and platform. */
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
