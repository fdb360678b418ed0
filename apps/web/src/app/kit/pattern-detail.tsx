import { DetailPage, DetailView } from '../../components/detail-page.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { Guide, useExample } from './pattern-guide.tsx'

type Thing = { name: string; title: string; connected: boolean }

const View = ({ item: { title, connected } }: { item: Thing }) => (
  <DetailView
    title={title}
    kind="Web"
    state={connected ? '' : 'Disabled'}
    icon=""
    list={{ label: 'Objects', to: '?pattern=list' }}
    notices={!connected && <Card title="Finish its set-up">What somebody has to see to first.</Card>}
    label="Object"
    tabs={[
      {
        id: 'overview',
        name: 'Overview',
        content: connected ? (
          <Card title="Figures">What it did.</Card>
        ) : (
          <EmptyState title="Nothing yet">What will be here, and what to do next.</EmptyState>
        ),
      },
      {
        id: 'failures',
        name: 'Failures',
        hash: 'failures',
        badge: <Badge tone="danger">3</Badge>,
        content: <Card title="Failures">A tab tells how much waits in it.</Card>,
      },
      { id: 'settings', name: 'Settings', hash: 'settings', content: <Card title="General">Saved one by one.</Card> },
    ]}
  />
)

/** The detail page in each state. */
export const DetailPattern = () => {
  const query = useExample<Thing>(
    { name: 'objects/1', title: 'Object 1', connected: true },
    { name: 'objects/2', title: 'Object 2', connected: false },
  )
  return (
    <>
      <Guide
        hasStates
        use="For one thing that has a page of its own. DetailPage reads it and stands in for it while it loads or when that failed; its View fills a DetailView."
        fill={[
          ['state', "Said when it is out of the ordinary, such as 'Paused'; else the kind says enough."],
          ['notices', 'What somebody has to see to first. Each offers its way on.'],
          ['tabs', 'The first without a hash. A tab fetches its code when it is shown (lazyPart).'],
        ]}
        narrow="the strip of tabs scrolls by itself and shows the chosen one; the head wraps."
      />
      <DetailPage query={query} errorTitle="Failed to load the object" View={View} />
    </>
  )
}
