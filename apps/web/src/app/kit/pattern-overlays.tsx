import { PageHeader } from '../../ui/page/page-header.tsx'
import { KitWindows } from './kit-overlays.tsx'
import { Guide } from './pattern-guide.tsx'

/** The purpose of each kind of overlay, with a button that opens it. */
export const OverlaysPattern = () => (
  <>
    <PageHeader title="Dialogs and panels" description="What opens over a page, and when." />
    <Guide
      use="What has an address and tabs of its own is a page. A window is for a short job that returns to where it began. Never two at once: what a window asks before it goes on is asked inside it."
      fill={[
        ['Dialog', 'A short form or a text, in the middle. Sizes: sm a question, md a form, lg a preview.'],
        ['ConfirmDialog', 'A question with one answer that acts. The button says what happens, not Yes.'],
        [
          'DangerDialog',
          'The same for a mutation that cannot be undone: it shows its refusal and closes when it is done.',
        ],
        ['SlideOver', 'A long form or a longer list that would not fit in the middle.'],
        ['SidePanel', 'What a row of a list holds. The list stays in use: arrows open the next row.'],
        ['lazyDialog', 'Around any of them whose code is large and rarely needed.'],
      ]}
      narrow="a dialog sits at the bottom, a panel takes the whole page, a panel beside its list becomes one over it."
    />
    <div className="flex flex-wrap items-center gap-3">
      <KitWindows />
    </div>
  </>
)
