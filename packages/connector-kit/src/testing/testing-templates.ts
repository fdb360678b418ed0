/*
 * Templates that cause as much work as possible, for tests and measurements of the limits. Each causes one kind of
 * work.
 */

const often = (part: string, times = 9000): string => `{% for i in (1..${times}) %}${part}{% endfor %}`
/** Repeats a part within the maximum characters of a template. */
const many = (part: string, count: number, between = ' '): string =>
  Array.from({ length: count }, () => part).join(between)
const list = (length: number, item: unknown = 1): unknown[] => Array.from({ length }, () => item)
const keys = (length: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, index]))
const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

type HostileTemplate = { name: string; template: string; variables?: Record<string, unknown> }

/** Templates that must all end at a limit. */
export const hostileTemplates: readonly HostileTemplate[] = [
  { name: 'literals joined by and', template: often(`{% if ${many('1', 1600, ' and ')} %}{% endif %}`) },
  { name: 'literals joined by or', template: often(`{% if ${many('false', 1000, ' or ')} %}{% endif %}`) },
  { name: 'comparisons of literals', template: often(`{% if ${many('1 < 2', 900, ' and ')} %}{% endif %}`) },
  { name: 'texts compared', template: often(`{% if "${'a'.repeat(4000)}" == "${'a'.repeat(4000)}" %}{% endif %}`) },
  { name: 'not of not', template: often(`{% if ${many('not', 2000)} 1 %}{% endif %}`) },
  { name: 'ranges in conditions', template: often('{% if (1..5000) == (1..5000) %}{% endif %}') },
  { name: 'ranges that are assigned', template: often('{% assign r = (1..3000000) %}') },
  {
    name: 'ranges of a range',
    template: often('{% for a in (1..100) %}{% for b in (1..100) %}{% endfor %}{% endfor %}'),
  },
  { name: 'values of when', template: often(`{% case 0 %}{% when ${many('1', 3000, ',')} %}{% endcase %}`) },
  { name: 'branches of when', template: often(`{% case 0 %}${many('{% when 1 %}', 700, '')}{% endcase %}`) },
  {
    name: 'ranges of when',
    template: often(`{% case l %}${many('{% when (1..1000) %}', 400, '')}{% endcase %}`),
    variables: { l: list(1000, 1).map((_, i) => i + 1) },
  },
  { name: 'branches of elsif', template: often(`{% if false %}${many('{% elsif false %}', 500, '')}{% endif %}`) },
  {
    name: 'branches of unless',
    template: often(`{% unless true %}${many('{% elsif false %}', 500, '')}{% endunless %}`),
  },
  { name: 'candidates of cycle', template: often(`{% cycle ${many('1', 4000, ',')} %}`) },
  { name: 'filters of cycle', template: often(`{% cycle 1 ${many('| plus: 1', 900)} %}`) },
  { name: 'filters', template: often(`{% assign x = 1 ${many('| plus: 1', 900)} %}`) },
  { name: 'arguments of a filter', template: often(`{% assign x = 1 | plus: ${many('1', 3000, ',')} %}`) },
  { name: 'named arguments of a filter', template: often(`{% assign x = 1 | default: ${many('a: 1', 1500, ',')} %}`) },
  {
    name: 'arguments of for',
    template: often(`{% for a in l ${many('limit: 0', 800)} %}{% endfor %}`),
    variables: { l: [1] },
  },
  { name: 'outputs', template: often(many('{{1}}', 990, '')) },
  { name: 'plain text', template: often('x'.repeat(9000)) },
  { name: 'raw text', template: often(`{% raw %}${many('{{1}}', 990, '')}{% endraw %}`) },
  { name: 'echoes', template: often(many('{% echo 1 %}', 700, '')) },
  { name: 'assignments', template: often(many('{% assign a = 1 %}', 500, '')) },
  { name: 'counters', template: often(many('{% increment a %}', 500, '')) },
  { name: 'lines of a liquid tag', template: often(`{% liquid\n${many('assign a = 1', 700, '\n')}\n%}`) },
  { name: 'comments', template: often(many('{% # a %}', 990, '')) },
  { name: 'empty loops', template: often(often('', 9000)) },
  {
    name: 'loops within loops',
    template: `${many('{% for i in (1..9) %}', 250, '')}{{a}}${many('{% endfor %}', 250, '')}`,
  },
  {
    name: 'conditions within conditions',
    template: often(`${many('{% if 1 %}', 400, '')}${many('{% endif %}', 400, '')}`),
  },
  {
    name: 'a name looked for in many scopes',
    template: `${many('{% for i in l %}', 200, '')}${often('{{z}}')}${many('{% endfor %}', 200, '')}`,
    variables: { l: [1] },
  },
  { name: 'long paths', template: often(`{{ ${many('a', 4000, '.')} }}`), variables: { a: {} } },
  {
    name: 'paths within paths',
    template: often(`{{ ${many('a[', 1500, '')}1${']'.repeat(1500)} }}`),
    variables: { a: [1, 2] },
  },
  {
    name: 'a text looked for in a text',
    template: often('{% if a contains b %}{% endif %}'),
    variables: { a: 'a'.repeat(200_000), b: `${'a'.repeat(5000)}b` },
  },
  { name: 'a list searched', template: often('{% if l contains 2 %}{% endif %}'), variables: { l: list(10_000) } },
  {
    name: 'lists compared',
    template: often('{% if l == m %}{% endif %}'),
    variables: { l: list(10_000), m: list(10_000) },
  },
  {
    name: 'lists in lists compared',
    template: often('{% if l == m %}{% endif %}'),
    variables: { l: list(100, list(100)), m: list(100, list(100)) },
  },
  {
    name: 'deep lists compared',
    template: often('{% if l == m %}{% endif %}'),
    variables: { l: nested(500), m: nested(500) },
  },
  {
    name: 'a list against each when',
    template: often(`{% case l %}{% when ${many('m', 200, ',')} %}{% endcase %}`),
    variables: { l: list(10_000), m: list(10_000) },
  },
  { name: 'keys counted', template: often('{{ o.size }}'), variables: { o: keys(20_000) } },
  {
    name: 'an object gone through',
    template: often('{% for e in o limit: 1 %}{% endfor %}'),
    variables: { o: keys(20_000) },
  },
  {
    name: 'whole values as JSON',
    template: often('{% assign x = v | json %}'),
    variables: { v: list(20_000, { a: 1, b: 'text' }) },
  },
  { name: 'whole values written', template: often('{{ v }}'), variables: { v: list(20_000, { a: 1, b: 'text' }) } },
  { name: 'texts written', template: often('{{ v }}'), variables: { v: '\u0001'.repeat(50_000) } },
  {
    name: 'a text that doubles',
    template: `{% assign a = "xxxxxxxx" %}${often('{% assign a = a | append: a %}', 60)}`,
  },
  {
    name: 'replacements that grow',
    template: `{% assign a = "xxxxxxxx" %}${often('{% assign a = a | replace: "x", "xxxxxxxx" %}', 60)}`,
  },
  {
    name: 'joins',
    template: often('{% assign x = l | join: s %}'),
    variables: { l: list(10_000), s: 'x'.repeat(100) },
  },
  { name: 'splits', template: often('{% assign x = a | split: "" %}'), variables: { a: 'a'.repeat(100_000) } },
  {
    name: 'lists made unique',
    template: often('{% assign x = l | uniq %}'),
    variables: { l: list(50_000).map((_, i) => i) },
  },
  {
    name: 'lists that grow',
    template: `{% assign x = l %}${often('{% assign x = x | concat: x %}', 60)}`,
    variables: { l: list(1000) },
  },
  {
    name: 'lists mapped',
    template: often('{% assign x = l | map: "a.b.c" %}'),
    variables: { l: list(10_000, { a: {} }) },
  },
  {
    name: 'a long path asked of each item',
    template: often(`{% assign x = l | map: "${'a.'.repeat(4000)}b" %}`),
    variables: { l: list(1000, {}) },
  },
  { name: 'texts stripped', template: often('{% assign x = a | strip: " " %}'), variables: { a: ' '.repeat(200_000) } },
  {
    name: 'texts cut',
    template: often('{% assign x = a | slice: 1, 199990 %}'),
    variables: { a: 'a'.repeat(200_000) },
  },
  {
    name: 'texts shortened',
    template: often('{% assign x = a | truncate: 199990 %}'),
    variables: { a: 'a'.repeat(200_000) },
  },
  {
    name: 'words cut',
    template: often('{% assign x = a | truncatewords: 99990 %}'),
    variables: { a: 'a '.repeat(100_000) },
  },
  { name: 'HTML stripped', template: often('{% assign x = a | strip_html %}'), variables: { a: '<'.repeat(200_000) } },
  {
    name: 'tags of HTML stripped',
    template: often('{% assign x = a | strip_html %}'),
    variables: { a: '<a>'.repeat(70_000) },
  },
  {
    name: 'lines stripped',
    template: often('{% assign x = a | strip_newlines %}'),
    variables: { a: '\n'.repeat(200_000) },
  },
  { name: 'hashes', template: often('{% assign x = a | sha256 %}'), variables: { a: 'a'.repeat(200_000) } },
  {
    name: 'lists summed',
    template: often('{% assign x = a | sum %}'),
    variables: { a: Array.from({ length: 20_000 }, (_, at) => at / 7) },
  },
  {
    name: 'lists of long numbers summed',
    template: often('{% assign x = a | sum %}'),
    variables: { a: Array.from({ length: 2000 }, () => `${'9'.repeat(200)}.${'9'.repeat(190)}`) },
  },
  {
    name: 'texts for addresses',
    template: often('{% assign x = a | url_encode %}'),
    variables: { a: 'ü('.repeat(50_000) },
  },
  {
    name: 'base64',
    template: often('{% assign x = a | base64_encode | base64_decode %}'),
    variables: { a: 'a'.repeat(100_000) },
  },
  { name: 'numbers read', template: often('{% assign x = a | plus: 1 %}'), variables: { a: '9'.repeat(400_000) } },
  { name: 'numbers rounded', template: often(`{% assign x = 1.5 ${many('| round: 1', 800)} %}`) },
  { name: 'months by name', template: often('{% assign x = "2026-01-01" | date: "%B %b %A %a" %}') },
  {
    name: 'long formats of times',
    template: often('{% assign x = "2026-01-01" | date: f %}'),
    variables: { f: '%c'.repeat(2000) },
  },
  {
    name: 'unknown formats of times',
    template: often('{% assign x = "2026-01-01" | date: f %}'),
    variables: { f: '%!'.repeat(2000) },
  },
  { name: 'wide formats of times', template: often('{% assign x = "2026-01-01" | date: "%9999d" %}') },
  { name: 'times in zones', template: often('{% assign x = "2026-01-01" | date: "%H", "Europe/Berlin" %}') },
  {
    name: 'long texts as times',
    template: often('{% assign x = a | date: "%H" %}'),
    variables: { a: '('.repeat(100_000) },
  },
  { name: 'times for XML', template: often('{% assign x = "2026-01-01" | date_to_xmlschema %}') },
]
