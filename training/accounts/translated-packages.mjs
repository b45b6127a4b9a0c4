/** Debian packages with catalogs in many languages: GNOME, GNU and Debian's own. */
export const translatedPackages = `
  libglib2.0-data libgtk-3-common libgtk-4-common libgtk2.0-common evolution-common evolution-data-server-common gimp-data nautilus-data
  gnome-control-center-data gnome-shell-common gedit-common totem-common epiphany-browser-data iso-codes pidgin-data finch vlc-l10n
  coreutils bash tar grep sed findutils gawk gettext wget gnupg-l10n apt dpkg aptitude-common debconf-i18n util-linux-locales
  binutils-common gcc-12-locales nano mate-panel-common mate-control-center-common cinnamon-l10n deja-dup transmission-common
  audacity-data gnucash-common homebank-data shared-mime-info tasksel gnome-software-common synaptic mutt lftp psmisc sudo login passwd
  e2fsprogs-l10n xfce4-panel xfce4-settings thunar-data xfce4-session libxfce4ui-common mousepad ristretto parole xfce4-terminal
  rhythmbox-data shotwell-common gnome-terminal-data baobab eog evince-common file-roller gnome-calculator gnome-calendar gnome-clocks
  gnome-contacts gnome-maps gnome-music gnome-system-monitor gnome-weather cheese-common brasero-common five-or-more gnome-mines
  gnome-sudoku quadrapassel gnome-chess freeciv-data widelands-data bleachbit gparted gnumeric-common geany-common meld gtranslator
  lightdm-gtk-greeter network-manager-gnome network-manager modemmanager packagekit udisks2 gvfs-common libgphoto2-l10n gphoto2
  system-config-printer-common virt-manager libvirt0 rpm-common subversion deluge-common liferea-data pan claws-mail-i18n
  sylpheed-i18n balsa gnote gramps denemo-data`
  .trim()
  .split(/\s+/);

/** The same for KDE. */
export const kdePackages = `
  libkf5akonadi-data libkf5akonadicalendar-data libkf5akonadisearch-data libkf5archive-data libkf5auth-data
  libkf5bluezqt-data libkf5bookmarks-data libkf5calendarsupport-data libkf5codecs-data libkf5completion-data
  libkf5config-data libkf5configwidgets-data libkf5contacts-data libkf5coreaddons-data libkf5dav-data
  libkf5dbusaddons-data libkf5declarative-data libkf5dnssd-data libkf5emoticons-data libkf5eventviews-data
  libkf5filemetadata-data libkf5globalaccel-data libkf5gravatar-data libkf5guiaddons-data libkf5holidays-data
  libkf5i18n-data libkf5iconthemes-data libkf5imap-data libkf5incidenceeditor-data libkf5itemviews-data
  libkf5jobwidgets-data libkf5jsembed-data libkf5kcmutils-data libkf5kdelibs4support-data libkf5khtml-data
  libkf5kipi-data libkf5kontactinterface-data libkf5ksieve-data libkf5ldap-data libkf5libkdepim-data
  libkf5libkleo-data libkf5mailcommon-data libkf5mailtransport-data libkf5mediaplayer-data libkf5mime-data
  libkf5newstuff-data libkf5notifications-data libkf5notifyconfig-data libkf5package-data libkf5parts-data
  libkf5people-data libkf5pimcommon-data libkf5pimtextedit-data libkf5pty-data libkf5sane-data libkf5screen-data
  libkf5service-data libkf5solid5-data libkf5sonnet5-data libkf5su-data libkf5syntaxhighlighting-data
  libkf5sysguard-data libkf5textwidgets-data libkf5unitconversion-data libkf5wallet-data libkf5widgetsaddons-data
  libkf5windowsystem-data libkf5xmlgui-data libkf5xmlrpcclient-data plasma-desktop-data plasma-workspace-data
  kwin-data kate5-data kdenlive-data dolphin konsole kmail ktorrent-data lokalize kstars-data marble-data krita-l10n`
  .trim()
  .split(/\s+/);
