/** Domains of public mail providers. Two users with addresses of such a domain need not belong to the same company. */
const publicMailDomains: ReadonlySet<string> = new Set(
  `
  126.com 139.com 163.com 189.cn aim.com aliyun.com aol.com aol.de aol.fr arcor.de att.net bellsouth.net
  bigpond.com bk.ru bluewin.ch bol.com.br btinternet.com centrum.cz charter.net comcast.net cox.net daum.net
  duck.com e.mail.ru earthlink.net email.com email.cz fastmail.com fastmail.fm foxmail.com free.fr freemail.hu
  freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hanmail.net hey.com home.nl
  hotmail.co.uk hotmail.com hotmail.de hotmail.es hotmail.fr hotmail.it hushmail.com icloud.com inbox.lv inbox.ru
  interia.pl internode.on.net juno.com kakao.com keemail.me laposte.net libero.it list.ru live.ca live.co.uk
  live.com live.de live.fr live.it live.nl mac.com mail.bg mail.com mail.de mail.ee mail.ru mailbox.org
  mailfence.com mailinator.com me.com msn.com nate.com naver.com netscape.net netzero.net ntlworld.com o2.pl
  onet.pl online.no optonline.net optusnet.com.au orange.fr outlook.com outlook.de outlook.es outlook.fr
  outlook.it outlook.jp passport.com pm.me posteo.de posteo.net proton.me protonmail.ch protonmail.com
  qq.com rambler.ru rediffmail.com riseup.net rocketmail.com runbox.com sapo.pt sbcglobal.net seznam.cz sfr.fr
  shaw.ca sina.cn sina.com sky.com sohu.com startmail.com sympatico.ca t-online.de talktalk.net telenet.be
  telia.com terra.com.br tiscali.it tuta.com tuta.io tutamail.com tutanota.com tutanota.de ukr.net uol.com.br
  verizon.net videotron.ca vip.qq.com virgilio.it virginmedia.com volny.cz walla.co.il wanadoo.fr web.de
  windowslive.com wp.pl xs4all.nl xtra.co.nz ya.ru yahoo.ca yahoo.co.id yahoo.co.in yahoo.co.jp yahoo.co.uk
  yahoo.com yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.mx yahoo.de yahoo.es yahoo.fr yahoo.in yahoo.it
  yandex.com yandex.ru yeah.net ymail.com yopmail.com zoho.com zohomail.com
  `
    .split(/\s+/)
    .filter((domain) => domain !== ''),
)

/** Returns the domain of an address, in lower case. */
export const mailDomain = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

/** Whether the domain belongs to a public mail provider. */
export const isPublicMailDomain = (domain: string): boolean => publicMailDomains.has(domain.toLowerCase())
