import { useSearchParams } from 'react-router'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { ChooseStep, FillSkeleton, FillStep } from '../../components/create-flow.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField } from '../../ui/forms/form.tsx'
import { Guide, useExample } from './pattern-guide.tsx'

const list = { label: 'Objects', to: '?pattern=list' }
const apps = ['Web', 'iOS', 'Android']
const schema = z.object({ title: z.string().min(1, 'Title is required'), role: z.string() })

const Fill = () => {
  const form = useApiForm<z.infer<typeof schema>>(schema, { title: '', role: 'guest' })
  return (
    <FillStep
      noun="object"
      description="Make an object of what was chosen."
      list={list}
      catalog="?pattern=create"
      form={form}
      onSubmit={() => Promise.reject(new Error('The server said no.'))}
      aside={<Card title="About Web">What it is, and what to prepare.</Card>}
    >
      <SelectField name="role" label="Role">
        <option value="guest">Guest</option>
        <option value="admin">Administrator</option>
      </SelectField>
    </FillStep>
  )
}

/** Both steps of creating an object; the first step is shown in each of its states. */
export const CreatePattern = () => {
  const [search] = useSearchParams()
  const step = search.get('step')
  const query = useExample<readonly string[]>(apps, [])
  return (
    <>
      <Guide
        hasStates
        use="The wizard: for making something that is made of one of many kinds. Choose the kind, fill in one form, arrive where its next job waits. Each step has an address, so Back is a step back and a link leads right into it. There is no third form: what can wait is a tab of what was made, which people leave and come back to, and its notices say what comes next. Something of one kind only has a form in a dialog and no flow."
        fill={[
          ['noun, list', 'What is made, such as source: both steps say it. The list of its like is the way back.'],
          ['cardOf', 'An entry of the catalog: title, what it is for, categories, how many there are, its address.'],
          ['FillPage', 'Reads what was chosen: loading, failed, and without access it stands in for the form.'],
          [
            'children',
            'The fields after the title, with defaults that work. What can wait is left to the page of the thing.',
          ],
          [
            'onSubmit',
            'Makes it, and goes to the tab of its page where the next job is (onTab). What it throws is shown.',
          ],
          ['aside', 'What it is and what to prepare, beside the fields that ask for it.'],
        ]}
        narrow="the cards stand one below the other, what is beside the form moves below it."
      />
      {step === 'fill' ? (
        <Fill />
      ) : step === 'loading' ? (
        <FillSkeleton />
      ) : (
        <ChooseStep
          noun="object"
          description="Choose what it is made of."
          list={list}
          query={query}
          cardOf={(title) => ({
            name: title,
            title,
            description: `An object of the kind ${title}.`,
            icon: '',
            categories: ['Device'],
            instances: 1,
            to: '?pattern=create&step=fill',
          })}
        />
      )}
    </>
  )
}
