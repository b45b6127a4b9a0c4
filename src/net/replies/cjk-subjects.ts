import { fold } from './phrases.js';

/** Chinese and Japanese do not separate words, and Korean attaches particles, so names are searched inside the text. */
const cjk = /[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;

const networkName = /(?<![a-z])(?:ip|ptr|spf|helo|dns|mx)(?![a-z])/;

/** `在本服务器`: on this server. */
const locationPhrase = /在(?:本|此|该|這|这)(?:邮件|郵件)?(?:服务器|服务|服務|伺服器|主机|主機|系统|系統)/g;

/** Whether a folded text is Chinese, Japanese or Korean. */
export function isCjk(words: string): boolean {
  return cjk.test(words);
}

/** The last thing that a folded text names; the mailbox if it names none. */
export function cjkSubject(text: string, after: string): 'mailbox' | 'client' | 'other' {
  nameLists ??= {
    recipient: namesOf('收件 收信 宛先 あて先 受信者 수신 받는 수취인'),
    mailbox: namesOf(
      `用户 用戶 使用者 邮箱 信箱 郵箱 账号 帐号 帳號 账户 帐户 帳戶 邮件地址
      ユーザ メールボックス アドレス アカウント
      사용자 계정 메일함 편지함 메일주소 회원 아이디 주소`,
    ),
    client: namesOf(
      '您的 你的 发件 发信 发送 寄件 發件 發信 送信 差出 発信 あなた お客様の 발신 발송 송신 보낸 보내는 귀하 당신',
    ),
    things: namesOf(
      `域名 主机 主機 服务 服務 伺服器 记录 記錄 证书 附件 数据库 資料庫 策略 文件 名单 名單 连接 功能
      ドメイン ホスト サーバ レコード 証明書 データベース 逆引き サービス ファイル リスト 接続 機能 配信
      도메인 호스트 서버 레코드 인증서 데이터베이스 역방향 서비스 파일 목록 연결 기능`,
    ),
  };
  if (networkName.test(text)) return 'other';
  const [recipient, client] = [lastOf(text, nameLists.recipient), lastOf(text, nameLists.client)];
  if (client > recipient) return 'client';
  const mailbox = Math.max(recipient, lastOf(text, nameLists.mailbox));
  const thing = lastOf(text.replace(locationPhrase, ''), nameLists.things);
  // `존재하지 않는 도메인`: the name may follow.
  if (Math.max(mailbox, thing) === -1 && lastOf(after, nameLists.things) > -1) return 'other';
  return thing > mailbox ? 'other' : 'mailbox';
}

/** Built at first use: folding them takes longer than starting. */
let nameLists: Record<'recipient' | 'mailbox' | 'client' | 'things', readonly string[]> | null = null;

/** Names as in folded texts. */
function namesOf(list: string): string[] {
  return fold(list).trim().split(' ');
}

/** The position of the last name, or -1. */
function lastOf(text: string, names: readonly string[]): number {
  return Math.max(...names.map((name) => text.lastIndexOf(name)));
}
