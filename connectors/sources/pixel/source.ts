import { seeItArrive } from '../arrival.ts'

/** Places where no script runs. */
export const pixel = {
  slug: 'pixel',
  title: 'Tracking pixel',
  description:
    'Count opened e-mails and other places where no script runs. The event is part of the address of an invisible picture of one pixel, which is always answered with the picture.',
  type: 1,
  logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect x="4" y="4" width="40" height="40" rx="8" fill="none" stroke="#7a5af8" stroke-width="3.5" stroke-dasharray="7 5"/><rect x="19" y="19" width="10" height="10" rx="2" fill="#7a5af8"/></svg>',
  guide: [
    {
      title: 'Add the picture',
      text: 'Parameters are the fields of the event; a dot nests them. Escape values as in every address, and fill in the id of the recipient.',
      code: `<img src="{{origin}}/pixel/v1/track?writeKey={{writeKey}}&userId=user-123&event=Email%20Opened&properties.campaign=spring" width="1" height="1" alt="">`,
      language: 'html',
    },
    {
      title: 'Or carry the event as data',
      text: 'The data parameter is the whole event as JSON in base64, with the write key inside. Make the address where you send the e-mail.',
      code: `const event = { writeKey: '{{writeKey}}', userId: 'user-123', event: 'Email Opened', properties: { campaign: 'spring' } }
const data = encodeURIComponent(Buffer.from(JSON.stringify(event)).toString('base64'))
const address = \`{{origin}}/v1/pixel/track?data=\${data}\``,
      language: 'javascript',
    },
    {
      title: 'Know its limits',
      text: 'Mail programs load pictures through proxies, once, or not at all: an opening may be missed, and the address and device are often those of the proxy. An event that is refused is listed under refused requests of this source.',
    },
    seeItArrive('The event leaves when the picture is loaded.'),
  ],
}
