export type Step = { id: string; title: string; text: string; to: string; done: boolean }

/** What a new workspace does first, in order, each with whether it is done. */
export const gettingStarted = (
  state: { sources: number; receiving: number; destinations: number; connections: number },
  to: { addSource: string; firstSource: string | undefined; addDestination: string; connect: string },
): Step[] => [
  {
    id: 'source',
    title: 'Connect a source',
    text: 'Choose what sends your events.',
    to: to.addSource,
    done: state.sources > 0,
  },
  {
    id: 'event',
    title: 'Send a first event',
    text: 'Copy the snippet with your key and watch it arrive.',
    to: to.firstSource ?? to.addSource,
    done: state.receiving > 0,
  },
  {
    id: 'destination',
    title: 'Add a destination',
    text: 'Choose where events are delivered to.',
    to: to.addDestination,
    done: state.destinations > 0,
  },
  {
    id: 'connection',
    title: 'Connect them',
    text: 'From then on every event is delivered.',
    to: to.connect,
    done: state.connections > 0,
  },
]
